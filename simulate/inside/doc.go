// Package inside has what the programs inside a simulation know: the orders and the messages that
// their host sends them, and the locks that they can open, which are a part of the table in
// package registry/onredis.
package inside
