#!/bin/sh
# node.sh is one node: Patroni, which starts PostgreSQL. Nothing of etcd is reached but through the links of torture.
cat >"$DIR/node.yml" <<EOF
scope: demo
name: node$REPLICA
restapi: {listen: "127.0.0.2:$PORT", connect_address: "127.0.0.2:$PORT"}
etcd3: {hosts: "$ETCD", use_proxies: true}
bootstrap:
  dcs: {ttl: 20, loop_wait: 5, retry_timeout: 5, postgresql: {use_pg_rewind: true}}
  initdb: [{encoding: UTF8}, {locale: C}, no-sync]
  pg_hba: [host all all 127.0.0.1/32 trust, host replication all 127.0.0.1/32 trust]
postgresql:
  listen: 127.0.0.1:$PORT
  connect_address: 127.0.0.1:$PORT
  data_dir: $DIR/data
  bin_dir: $(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -1)
  pgpass: $DIR/pgpass
  authentication: {superuser: {username: postgres}, replication: {username: postgres}}
  parameters: {unix_socket_directories: $DIR, dynamic_shared_memory_type: mmap, fsync: "off"}
EOF
exec patroni "$DIR/node.yml"
