// Command guest is a process of a simulation, compiled to wasip1. It is one of two programs,
// by its first argument: "driver" is the client of a lock, the same as `torture driver`;
// "harness" is the harness, as it is, whose drivers are other guests. All that either sees of
// the world comes from its host (package machine). With the build tag etcdclients its drivers have the
// locks on etcd, and no others.
package main
