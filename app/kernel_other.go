//go:build !linux

package app

import (
	"net"
	"os"
)

// No process is started on other systems (internal/child), so nobody asks.

func waiting(*os.File) int { return -1 }

func hungUp(net.Conn) bool { return true }

// watchAround sees nothing here: replicas run on Linux only.
func (s *stage) watchAround() {}
