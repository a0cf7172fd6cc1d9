<?php
// The requests of the client matrix: client.php curl|streams URL
[$way, $base] = [$argv[1], $argv[2]];

function over_curl($url, $body) {
    $handle = curl_init($url);
    curl_setopt_array($handle, [CURLOPT_RETURNTRANSFER => true, CURLOPT_FOLLOWLOCATION => true, CURLOPT_TIMEOUT => 60,
        CURLOPT_ENCODING => '']);
    if ($body !== null) curl_setopt($handle, CURLOPT_POSTFIELDS, $body);
    $answer = curl_exec($handle);
    if ($answer === false) { fwrite(STDERR, curl_error($handle) . "\n"); exit(1); }
    return $answer;
}

function over_streams($url, $body) {
    $http = $body === null ? [] : ['method' => 'POST', 'content' => $body, 'header' => 'Content-Type: text/plain'];
    // The default context knows the proxy; a context of the program's own has to take it over.
    $context = stream_context_create(array_replace_recursive(
        stream_context_get_options(stream_context_get_default()), ['http' => $http]));
    $answer = file_get_contents($url, false, $context);
    if ($answer === false) exit(1);
    return $answer;
}

$ask = $way === 'curl' ? 'over_curl' : 'over_streams';
foreach ([['/json?client=php', null], ['/echo', 'hello from php'], ['/redirect/1', null], ['/bytes/100000', null]] as [$path, $body]) {
    $answer = $ask($base . $path, $body);
    echo strlen($answer), ' ', hash('sha256', $answer), "\n";
}
