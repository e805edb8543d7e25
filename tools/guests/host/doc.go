// Package host starts a server as a guest of a simulation (simulate). Its program runs nowhere else.
package host
