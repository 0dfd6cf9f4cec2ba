#!/usr/bin/perl
# Captures every packet on all interfaces of this network namespace. Uses only core modules of Perl.
#
#   perl capture.pl FILE
#
# Prints "up" once it listens. Writes each packet to FILE: its length (4 bytes, big-endian), then its bytes including
# the Ethernet header. Exits when standard input closes, and prints the number of packets that the kernel dropped.
use strict;
use warnings;
use Fcntl;
use IO::Handle;
use IO::Select;
use Socket qw(SOL_SOCKET SO_RCVBUF SOCK_RAW);

use constant { AF_PACKET => 17, ETH_P_ALL => 0x0003, SOL_PACKET => 263, PACKET_STATISTICS => 6, SO_RCVBUFFORCE => 33 };
use constant { BUFFER_BYTES => 32 * 1024 * 1024, MAX_PACKET_BYTES => 262_144 };

my ($file) = @ARGV;
open(my $out, '>:raw', $file) or die "cannot write $file: $!";
socket(my $packets, AF_PACKET, SOCK_RAW, unpack('S', pack('n', ETH_P_ALL))) or die "no packet socket: $!";
# SO_RCVBUFFORCE requires root. SO_RCVBUF is limited by the system.
setsockopt($packets, SOL_SOCKET, SO_RCVBUFFORCE, pack('i', BUFFER_BYTES)) or setsockopt($packets, SOL_SOCKET, SO_RCVBUF, pack('i', BUFFER_BYTES));
fcntl($packets, F_SETFL, O_NONBLOCK) or die "cannot make the socket non-blocking: $!";

my $wait = IO::Select->new($packets, \*STDIN);
STDOUT->autoflush(1);
print "up\n";

my $input_closed = 0;
while (!$input_closed) {
  my @ready = $wait->can_read;
  $input_closed = grep { fileno($_) == fileno(STDIN) } @ready;
  # Reads all received packets, even after standard input has closed.
  while (defined recv($packets, my $packet, MAX_PACKET_BYTES, 0)) {
    print {$out} pack('N', length $packet), $packet;
  }
}
close($out) or die "cannot write $file: $!";
my (undef, $dropped) = unpack('II', getsockopt($packets, SOL_PACKET, PACKET_STATISTICS));
print "lost $dropped\n";
