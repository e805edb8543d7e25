// Package inside is shared by the host of a simulation and the programs inside it. It defines the
// order and the messages that the host sends, and the locks that can be simulated, which are a part
// of the table in package registry/onredis.
package inside
