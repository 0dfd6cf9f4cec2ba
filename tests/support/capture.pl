#!/usr/bin/perl
# Keeps every packet that passes in this network namespace, on whatever interface, with nothing but what every Perl has.
#
#   perl capture.pl FILE
#
# Says "up" once it listens. Each packet stands in FILE as it was, from its Ethernet header on, behind its length (4 bytes, big-endian). It ends with its
# standard input, and then says how many packets the kernel had to throw away.
use strict;
use warnings;
use Fcntl;
use IO::Handle;
use IO::Select;
use Socket qw(SOL_SOCKET SO_RCVBUF SOCK_RAW);

use constant { AF_PACKET => 17, ETH_P_ALL => 0x0003, SOL_PACKET => 263, PACKET_STATISTICS => 6, SO_RCVBUFFORCE => 33 };
use constant { BUFFER_BYTES => 32 * 1024 * 1024, LONGEST_PACKET => 262_144 };

my ($file) = @ARGV;
open(my $out, '>:raw', $file) or die "cannot write $file: $!";
socket(my $packets, AF_PACKET, SOCK_RAW, unpack('S', pack('n', ETH_P_ALL))) or die "no packet socket: $!";
# The first is for root only, the second is bounded by the system.
setsockopt($packets, SOL_SOCKET, SO_RCVBUFFORCE, pack('i', BUFFER_BYTES)) or setsockopt($packets, SOL_SOCKET, SO_RCVBUF, pack('i', BUFFER_BYTES));
fcntl($packets, F_SETFL, O_NONBLOCK) or die "cannot set: $!";

my $wait = IO::Select->new($packets, \*STDIN);
STDOUT->autoflush(1);
print "up\n";

my $told = 0;
while (!$told) {
  my @ready = $wait->can_read;
  $told = grep { fileno($_) == fileno(STDIN) } @ready;
  # Also what came before we were told to end.
  while (defined recv($packets, my $packet, LONGEST_PACKET, 0)) {
    print {$out} pack('N', length $packet), $packet;
  }
}
close($out) or die "cannot write $file: $!";
my (undef, $lost) = unpack('II', getsockopt($packets, SOL_PACKET, PACKET_STATISTICS));
print "lost $lost\n";
