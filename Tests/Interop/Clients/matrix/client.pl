# The requests of the client matrix: client.pl lwp|tiny URL
use strict;
use warnings;
use Digest::SHA qw(sha256_hex);

my ($way, $base) = @ARGV;

sub show {
    my ($status, $body) = @_;
    die "$body\n" if $status == 599 || $body =~ /^Can't connect/;
    printf "%d %d %s\n", $status, length $body, sha256_hex($body);
}

my ($get, $post);
if ($way eq 'lwp') {
    require LWP::UserAgent;
    my $agent = LWP::UserAgent->new(env_proxy => 1, timeout => 60);
    $get = sub { my $r = $agent->get($base . $_[0]); show($r->code, $r->content) };
    $post = sub { my $r = $agent->post($base . $_[0], Content => $_[1]); show($r->code, $r->content) };
} else {
    require HTTP::Tiny;
    my $agent = HTTP::Tiny->new(verify_SSL => 1, timeout => 60);
    $get = sub { my $r = $agent->get($base . $_[0]); show($r->{status}, $r->{content}) };
    $post = sub { my $r = $agent->post($base . $_[0], { content => $_[1] }); show($r->{status}, $r->{content}) };
}
$get->("/json?client=perl");
$post->("/echo", "hello from perl");
$get->("/redirect/1");
$get->("/bytes/100000");
