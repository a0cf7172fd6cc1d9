#!/bin/sh
# Makes the origin's certificates in the folder $1: a CA of its own (ca.pem), a good leaf, an expired one, one for another
# host and a self-signed one. Needs only the openssl command (1.1.1 or later).
set -eu
cd "$1"
names="subjectAltName=DNS:api.example.test,DNS:git.example.test,DNS:chat.example.test,DNS:talk.example.test,DNS:localhost,IP:127.0.0.1"

openssl ecparam -name prime256v1 -genkey -noout -out ca.key 2>/dev/null
openssl req -x509 -new -key ca.key -sha256 -days 30 -out ca.pem -subj "/CN=Interop origin CA" \
    -addext "basicConstraints=critical,CA:TRUE" -addext "keyUsage=critical,keyCertSign,cRLSign" 2>/dev/null
openssl ecparam -name prime256v1 -genkey -noout -out origin.key 2>/dev/null

# leaf NAME SUBJECT-ALT-NAMES: signed by the CA, good for 30 days from now.
leaf() {
    openssl req -new -key origin.key -subj "/CN=origin" -out "$1.csr" 2>/dev/null
    printf '%s\nextendedKeyUsage=serverAuth\nbasicConstraints=critical,CA:FALSE\nauthorityKeyIdentifier=keyid\n' "$2" > "$1.ext"
    openssl x509 -req -in "$1.csr" -CA ca.pem -CAkey ca.key -CAcreateserial -sha256 -days 30 -extfile "$1.ext" \
        -out "$1.pem" 2>/dev/null
}
leaf origin "$names"
leaf wronghost "subjectAltName=DNS:other.example.test"

# For the other direction: what a client shows, with its key in clear and encrypted, and one that nobody signed.
openssl ecparam -name prime256v1 -genkey -noout -out client.key 2>/dev/null
openssl req -new -key client.key -subj "/CN=client-of-the-test" -out client.csr 2>/dev/null
printf 'extendedKeyUsage=clientAuth\nbasicConstraints=critical,CA:FALSE\nauthorityKeyIdentifier=keyid\n' > client.ext
openssl x509 -req -in client.csr -CA ca.pem -CAkey ca.key -CAcreateserial -sha256 -days 30 -extfile client.ext \
    -out client.pem 2>/dev/null
openssl pkcs8 -topk8 -in client.key -passout pass:test -out client-encrypted.key 2>/dev/null
openssl req -x509 -new -key client.key -sha256 -days 30 -out stranger.pem -subj "/CN=stranger" 2>/dev/null

# Expired: `openssl ca` is the one that takes dates in 1.1.1 and 3.0 alike.
mkdir -p issued
: > issued/index.txt
printf '01\n' > issued/serial
cat > issued/ca.cnf <<CONF
[ca]
default_ca = d
[d]
database = issued/index.txt
serial = issued/serial
new_certs_dir = issued
certificate = ca.pem
private_key = ca.key
default_md = sha256
policy = p
x509_extensions = e
[p]
commonName = supplied
[e]
$names
extendedKeyUsage = serverAuth
basicConstraints = critical,CA:FALSE
authorityKeyIdentifier = keyid
CONF
openssl req -new -key origin.key -subj "/CN=origin" -out expired.csr 2>/dev/null
openssl ca -batch -config issued/ca.cnf -in expired.csr -out expired.pem -notext \
    -startdate 20200101000000Z -enddate 20200201000000Z 2>/dev/null

openssl req -x509 -new -key origin.key -sha256 -days 30 -out selfsigned.pem -subj "/CN=api.example.test" \
    -addext "$names" 2>/dev/null
