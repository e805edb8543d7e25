// Package resp finds the commands and the values in what Redis and its clients say to each
// other.
//
// Source: https://redis.io/docs/latest/develop/reference/protocol-spec/
package resp
