#!/usr/bin/perl
# A web service of remote functions that shares no code with the PDA. Uses only core modules of Perl.
#
#   perl function-web-service.pl LOG
#
# Prints its port. Writes a line to LOG for each request (method, path, bytes of the body). Exits when standard input closes.
#
# Each function counts the words and letters of texts. Its id is "<misbehaviour>.<operation>.<trigger>": it misbehaves at that
# operation and responds correctly to all others.
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
my $inputs = IO::Select->new($listen, \*STDIN);
while (my @ready = $inputs->can_read) {
  while ((my $pid = waitpid(-1, WNOHANG)) > 0) { delete $children{$pid} }
  last if grep { $_ == \*STDIN } @ready;
  my $connection = $listen->accept or next;
  my $child = fork;
  die "cannot fork: $!" unless defined $child;
  if ($child == 0) {
    close $listen;
    serve($connection);
    POSIX::_exit(0);
  }
  $children{$child} = 1;
  close $connection;
}
kill 'KILL', keys %children;
exit 0;

# Serves one request. The connection is closed afterwards.
sub serve {
  my ($connection) = @_;
  binmode $connection;
  my ($request, $length) = ('', 0);
  while (my $header = <$connection>) {
    $request = $header if $request eq '';
    $length = $1 if $header =~ /^content-length:\s*(\d+)/i;
    last if $header =~ /^\r?\n$/;
  }
  my ($method, $path) = $request =~ m{^(\S+) (\S+) HTTP/1} or return;
  my $body = '';
  while (length $body < $length) { read($connection, $body, $length - length $body, length $body) or return }
  my $earlier_requests = log_request("$method $path " . length $body);

  my ($id, $version, $suffix) = $path =~ m{^/fn/([^/?]+)/(\d+\.\d+\.\d+)(/configuration|/data-bundle|)(?:\?|$)}
    or return respond($connection, '404 Not Found', '{"error":"error","cause":"no such function"}');
  my $operation = $suffix eq '' ? 'process' : substr $suffix, 1;
  my $valid = $operation eq 'configuration' ? configuration($id, $version) : $operation eq 'data-bundle' ? bundle() : process($id, $body);
  my ($name, $affected_operation) = split /\./, $id;
  my $misbehaviour = $affected_operation eq $operation ? misbehaviours()->{$name} : undefined();
  return $misbehaviour ? $misbehaviour->($connection, $valid, $id, $earlier_requests) : respond($connection, '200 OK', $valid);
}

sub undefined { return }

# Appends a line to the log. Returns the number of earlier requests with this method and path.
sub log_request {
  my ($text) = @_;
  open my $file, '+>>', $log or die "cannot write $log: $!";
  flock $file, LOCK_EX;
  my ($method_and_path) = $text =~ /^(\S+ [^ ?]+)/;
  seek $file, 0, 0;
  my $earlier = grep { index($_, $method_and_path) == 0 } <$file>;
  print $file "$text\n";
  close $file;
  return $earlier;
}

sub respond {
  my ($connection, $status, $body, @headers) = @_;
  @headers = ('Content-Type: application/json', @headers) unless grep { /^content-type/i } @headers;
  print $connection join("\r\n", "HTTP/1.1 $status", @headers, 'Content-Length: ' . length $body, 'Connection: close', '', $body);
  $connection->flush;
}

sub hang { sleep 3600 while 1 }

# --- Correct responses

sub bundle { return '{"name":"words","bundle":{"texts":{"endpoints":[{"endpoint":"data/in","mapping":{"text":"text"}}]}}}' }

sub configuration {
  my ($id, $version) = @_;
  my (undef, undef, $trigger_type) = split /\./, $id;
  my $trigger = ($trigger_type // '') eq 'periodic' ? '"periodic","period":"P1D"' : '"' . ($trigger_type // 'manual') . '"';
  my $bundle = bundle();
  return qq({"id":"$id","info":{"version":"$version","name":"Words","headline":"Counts words","description":{"text":"Counts the words of texts."}},)
    . qq("trigger":{"triggerType":$trigger},"dataBundle":$bundle});
}

sub process {
  my ($id, $body) = @_;
  my $input = json($body);
  my @data = map {
    my $text = $_->{data}{text} // '';
    my $words = grep { length } split /\s+/, $text;
    sprintf '{"record":"%s","words":%d,"letters":%d}', $_->{recordId}, $words, scalar(() = $text =~ /\w/g);
  } @{ $input->{request}{data}{texts} };
  return output('made', $id, join ',', @data);
}

sub output { return sprintf '[{"namespace":"%s","endpoint":"%s","data":[%s]}]', @_ }

# --- Misbehaviours

sub misbehaviours {
  my $raw = sub { my ($body, @headers) = @_; sub { respond($_[0], '200 OK', $body, @headers) } };
  my $refusal = sub { my ($status, $body) = @_; sub { respond($_[0], $status, $body) } };
  my $head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";
  my $send_endlessly = sub { my ($connection, $chunk) = @_; while (print $connection $chunk) { } };
  return {
    'endless' => sub { hang() },
    'drip' => sub {
      my ($connection) = @_;
      $connection->autoflush(1);
      print $connection "${head}Content-Length: 1000000\r\n\r\n";
      while (print $connection ' ') { select undef, undef, undef, 0.02 }
    },
    'stuck' => sub { my ($connection) = @_; print $connection "${head}Content-Length: 1000000\r\n\r\n["; $connection->flush; hang() },
    'hangup' => sub { },
    'half' => sub { my ($connection, $valid) = @_; print $connection "${head}Content-Length: 100000\r\n\r\n" . substr $valid, 0, 20 },
    'cut' => sub { my ($connection) = @_; print $connection "${head}Transfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n" },
    'no-http' => sub { my ($connection) = @_; print $connection "220 mail.example ESMTP\r\n" },
    'huge' => sub { my ($connection) = @_; print $connection "${head}Connection: close\r\n\r\n"; $send_endlessly->($connection, ' ' x 65536) },
    'heads' => sub { my ($connection) = @_; print $connection $head; $send_endlessly->($connection, 'X-More: ' . 'x' x 1000 . "\r\n") },
    'hints' => sub { my ($connection) = @_; $send_endlessly->($connection, "HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n") },
    'refuses' => $refusal->('500 Oh No', '{"whatever":1}'),
    'refuses-hugely' => $refusal->('500 Oh No', '{"error":"memory","cause":"' . 'x' x 11_000_000 . '"}'),
    'refuses-deeply' => $refusal->('500 Oh No', '{"error":"memory","cause":' . '[' x 4_900_000 . ']' x 4_900_000 . '}'),
    'refuses-badly' =>
      $refusal->('500 Oh No', '{"error":{"toString":null},"__proto__":{"bad":1},"cause":"<b>\u0000\r\n\u2028\u001b[2J\u202e\ud800' . 'y' x 5000 . '"}'),
    'refuses-by-name' => $refusal->('502 Bad Gateway', '{"error":"memory","cause":"too much"}'),
    'redirects' => sub { respond($_[0], '302 Found', '', "Location: http://127.0.0.1:$port/trap") },
    'redirects-on' => sub { respond($_[0], '307 Temporary Redirect', '', "Location: http://localhost:$port/trap") },
    'redirects-away' => sub { respond($_[0], '308 Permanent Redirect', '', 'Location: https://example.com/trap') },
    'not-json' => $raw->('words: 3'),
    'nothing' => $raw->(''),
    'no-content' => sub { my ($connection) = @_; print $connection "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n" },
    'null' => $raw->('null'),
    'number' => $raw->('17'),
    'other-shape' => $raw->('[{"namespace":5,"endpoint":{},"data":"no"}]'),
    'no-utf8' => $raw->("[\xff\xfe]"),
    'packed' => $raw->("\x1f\x8b\x08" . "\xff" x 100, 'Content-Encoding: gzip'),
    'deep' => $raw->('[' x 100_000 . ']' x 100_000),
    'proto' => sub { my ($connection, $valid) = @_; respond($connection, '200 OK', $valid =~ s/\{/{"__proto__":{"bad":1},/r) },
    'twice-keyed' => sub { my ($connection, $valid) = @_; respond($connection, '200 OK', $valid =~ s/\{/{"constructor":1,"constructor":2,/r) },
    # Valid output in an unusual form.
    'as-a-page' => sub { my ($connection, $valid) = @_; respond($connection, '200 OK', $valid, 'Content-Type: text/html; charset=latin1') },
    'constructor' => sub { my ($connection, $valid) = @_; respond($connection, '200 OK', $valid =~ s/\{/{"constructor":{"prototype":{"bad":1}},"toString":1,/r) },
    # Misbehaviours of a single operation.
    'other-id' => sub { my ($connection, $valid) = @_; respond($connection, '200 OK', $valid =~ s/"id":"[^"]*"/"id":"another-function"/r) },
    'other-version' => sub { my ($connection, $valid) = @_; respond($connection, '200 OK', $valid =~ s/"version":"[^"]*"/"version":"9.9.9"/r) },
    'fat' => sub { my ($connection, $valid) = @_; respond($connection, '200 OK', $valid =~ s/\{/'{"more":"' . 'x' x 9_000_000 . '",'/er) },
    'asks-elsewhere' => sub { my ($connection, $valid) = @_; respond($connection, '200 OK', $valid =~ s{data/in}{data/secret}r) },
    'asks-for-all' => sub { my ($connection, $valid) = @_; respond($connection, '200 OK', $valid =~ s/,"mapping":\{[^}]*\}//r) },
    'asks-for-more' => sub { my ($connection, $valid) = @_; respond($connection, '200 OK', $valid =~ s/"text":"text"/"text":"text","pin":"pin"/r) },
    'other-namespace' => $raw->(output('data', 'in', '1')),
    'odd-key' => sub { my ($connection, $valid) = @_; respond($connection, '200 OK', $valid =~ s/\{/'{"a\u0000\r\n\u202e' . 'x' x 900_000 . '":1,'/er) },
    'odd-namespace' => $raw->(output('a\u0000\r\n\u202e' . 'x' x 200_000, 'in', '1')),
    'climbs' => $raw->(output('made', '../data/in', '1')),
    'half-elsewhere' => sub {
      my ($connection, $valid) = @_;
      respond($connection, '200 OK', substr($valid, 0, -1) . ',' . substr output('data', 'in', '1'), 1);
    },
    'too-many' => sub { my ($connection, undef, $id) = @_; respond($connection, '200 OK', output('made', $id, join ',', (1) x 10_001)) },
    # The first two requests fail.
    'flaky' => sub { my ($connection, $valid, undef, $earlier_requests) = @_; respond($connection, $earlier_requests < 2 ? '503 Later' : '200 OK', $valid) },
  };
}

# --- A JSON parser for the requests of the PDA. Returns references to hashes and arrays.

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
    my %object;
    until ($$text =~ /\G\s*\}/gc) {
      $$text =~ /\G\s*,/gc;
      my $key = value($text);
      $$text =~ /\G\s*:/gc or die 'a colon is missing';
      $object{$key} = value($text);
    }
    return \%object;
  }
  if ($$text =~ /\G\[/gc) {
    my @array;
    until ($$text =~ /\G\s*\]/gc) { $$text =~ /\G\s*,/gc; push @array, value($text) }
    return \@array;
  }
  if ($$text =~ /\G"((?:[^"\\]++|\\.)*)"/gcs) {
    my $string = $1;
    my %short = (n => "\n", r => "\r", t => "\t", b => "\b", f => "\f");
    $string =~ s{\\(?:u([dD][89abAB]..)\\u(....)|u(....)|(.))}{
      defined $1 ? chr(0x10000 + ((hex($1) - 0xd800) << 10) + hex($2) - 0xdc00) : defined $3 ? chr hex $3 : $short{$4} // $4
    }ge;
    return $string;
  }
  return $1 if $$text =~ /\G(-?\d[\d.eE+-]*)/gc;
  return $1 eq 'true' ? 1 : $1 eq 'false' ? 0 : undef if $$text =~ /\G(true|false|null)/gc;
  die 'not JSON';
}
