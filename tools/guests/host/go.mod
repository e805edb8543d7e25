// The start of a server in virtual time. It is a module of its own, without requirements, so that it
// can be built into a module with any release of a server.
module locktorture/tools/guests/host

go 1.24.0
