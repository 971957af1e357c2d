#!/bin/bash
# User data of the launch template for servers that the auto-scaler launches: installs a release, takes the server's id from
# the instance's tags, and starts the server. Needs Debian 12 or Amazon Linux 2023, and metadata tags, which the provider enables.
# Set these before use:
RELEASE_URL="${RELEASE_URL:-https://example.com/uniserve-0.1.0.tar.gz}"
RELEASE_SHA256="${RELEASE_SHA256:-}"
ZOOKEEPER="${ZOOKEEPER:-zk1.internal:2181}"
CLUSTER="${CLUSTER:-search}"
STORE="${STORE:-}"
# Options of the server's JVM: give the heap about half of the machine's memory.
JAVA_OPTIONS="${JAVA_OPTIONS:--Xmx4g}"

set -euo pipefail
METADATA=${METADATA:-http://169.254.169.254}
ROOT=${ROOT:-}

metadata() {
  curl -sf --retry 10 --retry-connrefused -H "X-aws-ec2-metadata-token: $TOKEN" "$METADATA/latest/meta-data/$1"
}

install_java() {
  if command -v java >/dev/null; then
    return
  elif command -v dnf >/dev/null; then
    dnf install -y -q java-17-amazon-corretto-headless
  else
    apt-get -o DPkg::Lock::Timeout=300 update -qq
    DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -y -qq openjdk-17-jre-headless curl
  fi
}

install_release() {
  local archive
  archive=$(mktemp)
  curl -sfL --retry 5 -o "$archive" "$RELEASE_URL"
  if [ -z "$RELEASE_SHA256" ]; then
    echo "set RELEASE_SHA256 to the checksum of $RELEASE_URL" >&2
    exit 1
  fi
  echo "$RELEASE_SHA256  $archive" | sha256sum -c --quiet
  mkdir -p "$ROOT/opt/uniserve"
  tar --no-same-owner -xzf "$archive" -C "$ROOT/opt/uniserve" --strip-components=1
  rm -f "$archive"
}

write_settings() {
  local id zone host
  id=$(metadata tags/instance/uniserve-server)
  zone=$(metadata placement/availability-zone)
  host=$(metadata local-ipv4)
  mkdir -p "$ROOT/etc/uniserve"
  cat >"$ROOT/etc/uniserve/uniserve.conf" <<CONF
uniserve {
  cluster = "$CLUSTER"
  zookeeper.connect = "$ZOOKEEPER"
  storage.location = "$STORE"
  server { id = "$id", zone = "$zone", advertised-host = "$host", interruption-notices = "ec2" }
}
CONF
  # The data directory of a new instance is empty.
  printf 'UNISERVE_ARGUMENTS=--new\nUNISERVE_JAVA_OPTS="%s"\n' "$JAVA_OPTIONS" >"$ROOT/etc/uniserve/server.env"
}

install_java
TOKEN=$(curl -sf --retry 10 --retry-connrefused -X PUT -H 'X-aws-ec2-metadata-token-ttl-seconds: 600' "$METADATA/latest/api/token")
install_release
write_settings
id uniserve >/dev/null 2>&1 || useradd --system --home-dir /var/lib/uniserve --shell /usr/sbin/nologin uniserve
cp "$ROOT/opt/uniserve/deploy/systemd/uniserve-server.service" "$ROOT/etc/systemd/system/"
systemctl daemon-reload
systemctl enable --now uniserve-server
