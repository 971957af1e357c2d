#!/bin/bash
# Copies the first identity of a process into a folder in which the process renews it, before the process starts. The folder's own
# certificate stays if the process can use it: it is of the same identity, did not begin before the first one, has not ended, and an
# authority of trust.pem has signed it. Needs openssl and GNU date.
#
#     first-identity.sh FROM TO
#
# FROM has certificate.pem, key.pem and trust.pem, such as a mounted secret. TO gets certificate.pem and key.pem.
set -euo pipefail
umask 077

# The public key of a private key, and that of a certificate.
public_key() {
  openssl pkey -in "$1" -pubout 2>/dev/null
}
certified_key() {
  openssl x509 -in "$1" -noout -pubkey
}

# Identity and start of a certificate.
identity() {
  openssl x509 -in "$1" -noout -ext subjectAltName
}
start() {
  date -d "$(openssl x509 -in "$1" -noout -startdate | cut -d= -f2)" +%s
}

# A process that ended while it replaced its files left the new key beside the old one.
has_key() {
  local key
  for key in "$TO/key.pem" "$TO/key.pem.next"; do
    if [ -e "$key" ] && [ "$(public_key "$key")" = "$(certified_key "$TO/certificate.pem")" ]; then
      return 0
    fi
  done
  return 1
}

usable() {
  local own=$TO/certificate.pem
  [ -e "$own" ] || return 1
  openssl x509 -in "$own" -noout -checkend 0 >/dev/null || return 1
  openssl verify -no-CApath -no-CAstore -CAfile "$FROM/trust.pem" "$own" >/dev/null 2>&1 || return 1
  [ "$(identity "$own")" = "$(identity "$FROM/certificate.pem")" ] || return 1
  [ "$(start "$own")" -ge "$(start "$FROM/certificate.pem")" ] || return 1
  has_key
}

if [ $# -ne 2 ]; then
  echo "first-identity.sh: give the folder of the first identity and that of the process" >&2
  exit 2
fi
FROM=$1
TO=$2
for file in certificate.pem key.pem trust.pem; do
  if ! grep -q -e '-----BEGIN ' "$FROM/$file"; then
    echo "first-identity.sh: $FROM/$file is missing or no PEM file" >&2
    exit 1
  fi
done
mkdir -p "$TO"
if usable; then
  echo "$TO/certificate.pem stays"
  exit 0
fi
# In the order of a renewal, which the process completes after an interruption: key beside the old one, certificate, key.
cp "$FROM/key.pem" "$TO/key.pem.part"
mv "$TO/key.pem.part" "$TO/key.pem.next"
cp "$FROM/certificate.pem" "$TO/certificate.pem.part"
mv "$TO/certificate.pem.part" "$TO/certificate.pem"
mv "$TO/key.pem.next" "$TO/key.pem"
echo "$TO/certificate.pem is that of $FROM"
