#!/usr/bin/perl
# Functions behind a gateway that is written in another language, with nothing but what every Perl has.
#
#   perl function-gateway.pl LOG
#
# Prints its port, writes a line to LOG for each request (method, address, bytes of the body), and ends with its standard input.
#
# The id of a function says how it behaves: "<what>.<where>". It counts the words of texts, and answers as it should at every operation but
# <where>; there it does <what>.
use strict;
use warnings;
use Fcntl qw(:flock);
use IO::Select;
use IO::Socket::INET;
use POSIX ':sys_wait_h';

my ($log) = @ARGV;
my $listen = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 50, ReuseAddr => 1) or die "cannot listen: $!";
my $port = $listen->sockport;
my %children;
$| = 1;
print "$port\n";

$SIG{PIPE} = 'IGNORE';
my $both = IO::Select->new($listen, \*STDIN);
while (my @ready = $both->can_read) {
  while ((my $ended = waitpid(-1, WNOHANG)) > 0) { delete $children{$ended} }
  last if grep { $_ == \*STDIN } @ready;
  my $line = $listen->accept or next;
  my $child = fork;
  die "cannot fork: $!" unless defined $child;
  if ($child == 0) {
    close $listen;
    serve($line);
    POSIX::_exit(0);
  }
  $children{$child} = 1;
  close $line;
}
kill 'KILL', keys %children;
exit 0;

# One request; the line is closed after it.
sub serve {
  my ($line) = @_;
  binmode $line;
  my ($request, $length) = ('', 0);
  while (my $header = <$line>) {
    $request = $header if $request eq '';
    $length = $1 if $header =~ /^content-length:\s*(\d+)/i;
    last if $header =~ /^\r?\n$/;
  }
  my ($method, $address) = $request =~ m{^(\S+) (\S+) HTTP/1} or return;
  my $body = '';
  while (length $body < $length) { read($line, $body, $length - length $body, length $body) or return }
  my $turn = note("$method $address " . length $body);

  my ($id, $version, $rest) = $address =~ m{^/fn/([^/?]+)/(\d+\.\d+\.\d+)(/configuration|/data-bundle|)(?:\?|$)}
    or return say_back($line, '404 Not Found', '{"error":"error","cause":"no such function"}');
  my $where = $rest eq '' ? 'process' : substr $rest, 1;
  my $good = $where eq 'configuration' ? configuration($id, $version) : $where eq 'data-bundle' ? bundle() : process($id, $body);
  my ($what, $there) = split /\./, $id;
  my $misdeed = $there eq $where ? misdeeds()->{$what} : undefined();
  return $misdeed ? $misdeed->($line, $good, $id, $turn) : say_back($line, '200 OK', $good);
}

sub undefined { return }

# Writes a line down. Returns how often this very line was there before.
sub note {
  my ($text) = @_;
  open my $file, '+>>', $log or die "cannot write $log: $!";
  flock $file, LOCK_EX;
  my ($asked) = $text =~ /^(\S+ [^ ?]+)/;
  seek $file, 0, 0;
  my $before = grep { index($_, $asked) == 0 } <$file>;
  print $file "$text\n";
  close $file;
  return $before;
}

sub say_back {
  my ($line, $status, $body, @headers) = @_;
  @headers = ('Content-Type: application/json', @headers) unless grep { /^content-type/i } @headers;
  print $line join("\r\n", "HTTP/1.1 $status", @headers, 'Content-Length: ' . length $body, 'Connection: close', '', $body);
  $line->flush;
}

sub forever { sleep 3600 while 1 }

# --- what it does when it does what it should

sub bundle { return '{"name":"words","bundle":{"texts":{"endpoints":[{"endpoint":"data/in","mapping":{"text":"text"}}]}}}' }

sub configuration {
  my ($id, $version) = @_;
  my (undef, undef, $when) = split /\./, $id;
  my $trigger = ($when // '') eq 'periodic' ? '"periodic","period":"P1D"' : '"' . ($when // 'manual') . '"';
  my $bundle = bundle();
  return qq({"id":"$id","info":{"version":"$version","name":"Words","headline":"Counts words","description":{"text":"Counts the words of texts."}},)
    . qq("trigger":{"triggerType":$trigger},"dataBundle":$bundle});
}

sub process {
  my ($id, $body) = @_;
  my $given = json($body);
  my @data = map {
    my $text = $_->{data}{text} // '';
    my $words = grep { length } split /\s+/, $text;
    sprintf '{"record":"%s","words":%d,"letters":%d}', $_->{recordId}, $words, scalar(() = $text =~ /\w/g);
  } @{ $given->{request}{data}{texts} };
  return answer('made', $id, join ',', @data);
}

sub answer { return sprintf '[{"namespace":"%s","endpoint":"%s","data":[%s]}]', @_ }

# --- what it does when it does not

sub misdeeds {
  my $raw = sub { my ($body, @headers) = @_; sub { say_back($_[0], '200 OK', $body, @headers) } };
  my $refusal = sub { my ($status, $body) = @_; sub { say_back($_[0], $status, $body) } };
  my $head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";
  my $flow = sub { my ($line, $piece) = @_; while (print $line $piece) { } };
  return {
    'endless' => sub { forever() },
    'drip' => sub {
      my ($line) = @_;
      $line->autoflush(1);
      print $line "${head}Content-Length: 1000000\r\n\r\n";
      while (print $line ' ') { select undef, undef, undef, 0.02 }
    },
    'stuck' => sub { my ($line) = @_; print $line "${head}Content-Length: 1000000\r\n\r\n["; $line->flush; forever() },
    'hangup' => sub { },
    'half' => sub { my ($line, $good) = @_; print $line "${head}Content-Length: 100000\r\n\r\n" . substr $good, 0, 20 },
    'cut' => sub { my ($line) = @_; print $line "${head}Transfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n" },
    'no-http' => sub { my ($line) = @_; print $line "220 mail.example ESMTP\r\n" },
    'huge' => sub { my ($line) = @_; print $line "${head}Connection: close\r\n\r\n"; $flow->($line, ' ' x 65536) },
    'heads' => sub { my ($line) = @_; print $line $head; $flow->($line, 'X-More: ' . 'x' x 1000 . "\r\n") },
    'hints' => sub { my ($line) = @_; $flow->($line, "HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n") },
    'refuses' => $refusal->('500 Oh No', '{"whatever":1}'),
    'refuses-hugely' => $refusal->('500 Oh No', '{"error":"memory","cause":"' . 'x' x 11_000_000 . '"}'),
    'refuses-deeply' => $refusal->('500 Oh No', '{"error":"memory","cause":' . '[' x 4_900_000 . ']' x 4_900_000 . '}'),
    'refuses-badly' =>
      $refusal->('500 Oh No', '{"error":{"toString":null},"__proto__":{"bad":1},"cause":"<b>\u0000\r\n\u2028\u001b[2J\u202e\ud800' . 'y' x 5000 . '"}'),
    'refuses-by-name' => $refusal->('502 Bad Gateway', '{"error":"memory","cause":"too much"}'),
    'redirects' => sub { say_back($_[0], '302 Found', '', "Location: http://127.0.0.1:$port/trap") },
    'redirects-on' => sub { say_back($_[0], '307 Temporary Redirect', '', "Location: http://localhost:$port/trap") },
    'redirects-away' => sub { say_back($_[0], '308 Permanent Redirect', '', 'Location: https://example.com/trap') },
    'not-json' => $raw->('words: 3'),
    'nothing' => $raw->(''),
    'no-content' => sub { my ($line) = @_; print $line "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n" },
    'null' => $raw->('null'),
    'number' => $raw->('17'),
    'other-shape' => $raw->('[{"namespace":5,"endpoint":{},"data":"no"}]'),
    'no-utf8' => $raw->("[\xff\xfe]"),
    'packed' => $raw->("\x1f\x8b\x08" . "\xff" x 100, 'Content-Encoding: gzip'),
    'deep' => $raw->('[' x 100_000 . ']' x 100_000),
    'proto' => sub { my ($line, $good) = @_; say_back($line, '200 OK', $good =~ s/\{/{"__proto__":{"bad":1},/r) },
    'twice-keyed' => sub { my ($line, $good) = @_; say_back($line, '200 OK', $good =~ s/\{/{"constructor":1,"constructor":2,/r) },
    # Well meant, if not well done.
    'as-a-page' => sub { my ($line, $good) = @_; say_back($line, '200 OK', $good, 'Content-Type: text/html; charset=latin1') },
    'constructor' => sub { my ($line, $good) = @_; say_back($line, '200 OK', $good =~ s/\{/{"constructor":{"prototype":{"bad":1}},"toString":1,/r) },
    # Of one operation alone.
    'other-id' => sub { my ($line, $good) = @_; say_back($line, '200 OK', $good =~ s/"id":"[^"]*"/"id":"another-function"/r) },
    'other-version' => sub { my ($line, $good) = @_; say_back($line, '200 OK', $good =~ s/"version":"[^"]*"/"version":"9.9.9"/r) },
    'fat' => sub { my ($line, $good) = @_; say_back($line, '200 OK', $good =~ s/\{/'{"more":"' . 'x' x 9_000_000 . '",'/er) },
    'asks-elsewhere' => sub { my ($line, $good) = @_; say_back($line, '200 OK', $good =~ s{data/in}{data/secret}r) },
    'asks-for-all' => sub { my ($line, $good) = @_; say_back($line, '200 OK', $good =~ s/,"mapping":\{[^}]*\}//r) },
    'asks-for-more' => sub { my ($line, $good) = @_; say_back($line, '200 OK', $good =~ s/"text":"text"/"text":"text","pin":"pin"/r) },
    'other-namespace' => $raw->(answer('data', 'in', '1')),
    'odd-key' => sub { my ($line, $good) = @_; say_back($line, '200 OK', $good =~ s/\{/'{"a\u0000\r\n\u202e' . 'x' x 900_000 . '":1,'/er) },
    'odd-place' => $raw->(answer('a\u0000\r\n\u202e' . 'x' x 900_000, 'in', '1')),
    'climbs' => $raw->(answer('made', '../data/in', '1')),
    'half-elsewhere' => sub {
      my ($line, $good) = @_;
      say_back($line, '200 OK', substr($good, 0, -1) . ',' . substr answer('data', 'in', '1'), 1);
    },
    'too-many' => sub { my ($line, undef, $id) = @_; say_back($line, '200 OK', answer('made', $id, join ',', (1) x 10_001)) },
    # The first two of its runs fail.
    'flaky' => sub { my ($line, $good, undef, $turn) = @_; say_back($line, $turn < 2 ? '503 Later' : '200 OK', $good) },
  };
}

# --- JSON, as far as it is needed: text in, references out

sub json {
  my ($text) = @_;
  utf8::decode($text) or die 'not UTF-8';
  my $value = value(\$text);
  die 'more than one value' unless $text =~ /\G\s*\z/gc;
  return $value;
}

sub value {
  my ($text) = @_;
  $$text =~ /\G\s*/gc;
  if ($$text =~ /\G\{/gc) {
    my %found;
    until ($$text =~ /\G\s*\}/gc) {
      $$text =~ /\G\s*,/gc;
      my $key = value($text);
      $$text =~ /\G\s*:/gc or die 'a colon is missing';
      $found{$key} = value($text);
    }
    return \%found;
  }
  if ($$text =~ /\G\[/gc) {
    my @found;
    until ($$text =~ /\G\s*\]/gc) { $$text =~ /\G\s*,/gc; push @found, value($text) }
    return \@found;
  }
  if ($$text =~ /\G"((?:[^"\\]++|\\.)*)"/gcs) {
    my $found = $1;
    my %short = (n => "\n", r => "\r", t => "\t", b => "\b", f => "\f");
    $found =~ s{\\(?:u([dD][89abAB]..)\\u(....)|u(....)|(.))}{
      defined $1 ? chr(0x10000 + ((hex($1) - 0xd800) << 10) + hex($2) - 0xdc00) : defined $3 ? chr hex $3 : $short{$4} // $4
    }ge;
    return $found;
  }
  return $1 if $$text =~ /\G(-?\d[\d.eE+-]*)/gc;
  return $1 eq 'true' ? 1 : $1 eq 'false' ? 0 : undef if $$text =~ /\G(true|false|null)/gc;
  die 'not JSON';
}
