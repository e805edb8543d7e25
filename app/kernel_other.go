//go:build !linux

package app

import (
	"net"
	"os"
)

// These functions are never called, because internal/child starts no processes on other systems.

func waiting(*os.File) int { return -1 }

func hungUp(net.Conn) bool { return true }

// watchAround does nothing, because replicas run only on Linux.
func (s *stage) watchAround() {}
