/**
 * A second process inside, in Perl, where some hosts may be reached: it takes connections on the loopback of the call's
 * own network and carries them to the proxy's socket, and nothing else; who ends it ends his own way out.
 * Owns: that text. Invariant: it holds at most 64 KiB of each direction, and is no reason for a call to go on.
 */
export const PROXY_PORT = 3128

const MOST_CONNECTIONS = 256

/** Bound before the program begins. `socket`: as Perl writes it. */
const listening = [
  "use Socket; socket(my $door, PF_INET, SOCK_STREAM, 0) or exit 126;",
  "setsockopt($door, SOL_SOCKET, SO_REUSEADDR, 1);",
  `bind($door, pack_sockaddr_in(${PROXY_PORT}, INADDR_LOOPBACK)) or exit 126; listen($door, 128) or exit 126;`
]

/** 4 is F_SETFL, 2048 O_NONBLOCK, 11 EAGAIN. */
const carrying = (socket: string): ReadonlyArray<string> => [
  "sub carry { my ($door) = @_; my (%to, %fh, %out, %over); $SIG{PIPE} = 'IGNORE';",
  "my $drop = sub { for my $n ($_[0], $to{$_[0]}) { next unless defined $n; close $fh{$n}; delete $fh{$n}; delete $out{$n}; delete $over{$n} }",
  "delete $to{delete $to{$_[0]}} };",
  "while (1) { my ($r, $w) = ('', '');",
  `vec($r, fileno $door, 1) = 1 if keys %fh < ${MOST_CONNECTIONS * 2};`,
  "for my $n (keys %fh) { vec($r, $n, 1) = 1 if !$over{$n} && length $out{$to{$n}} < 65536; vec($w, $n, 1) = 1 if length $out{$n} }",
  "next if select($r, $w, undef, undef) < 0;",
  "if (vec($r, fileno $door, 1) && accept(my $in, $door)) {",
  `socket(my $on, PF_UNIX, SOCK_STREAM, 0); if (connect($on, pack_sockaddr_un(${socket}))) {`,
  "my ($a, $b) = (fileno $in, fileno $on); @fh{$a, $b} = ($in, $on); @to{$a, $b} = ($b, $a);",
  "for ($a, $b) { fcntl($fh{$_}, 4, 2048); $out{$_} = ''; $over{$_} = 0 } } }",
  "for my $n (keys %fh) { next unless exists $fh{$n}; my $m = $to{$n};",
  "if (vec($w, $n, 1)) { my $k = syswrite $fh{$n}, $out{$n};",
  "if (defined $k) { substr($out{$n}, 0, $k) = ''; shutdown($fh{$n}, 1) if $over{$m} && $out{$n} eq '' } elsif ($! != 11) { $drop->($n); next } }",
  "if (vec($r, $n, 1)) { my $k = sysread $fh{$n}, my $part, 65536;",
  "if ($k) { $out{$m} .= $part } elsif (defined $k) { $over{$n} = 1; shutdown($fh{$m}, 1) if $out{$m} eq '' } elsif ($! != 11) { $drop->($n); next } }",
  "$drop->($n) if $over{$n} && $over{$m} && $out{$n} eq '' && $out{$m} eq '' } } }"
]

/** `$carrier` is its process; `alone` says whether nobody is left but it and the first process. */
export const forwarder = (socket: string): ReadonlyArray<string> => [
  ...listening,
  ...carrying(socket),
  "my $carrier = fork; exit 126 unless defined $carrier;",
  'if (!$carrier) { close $said; open(STDOUT, ">", "/dev/null"); open(STDERR, ">", "/dev/null"); carry($door); exit 0 }',
  "close $door;",
  'sub alone { opendir(my $d, "/proc"); !grep { /^\\d/ && $_ != 1 && $_ != $_[0] } readdir $d }'
]
