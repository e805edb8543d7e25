//go:build !simulated

package main

import "locktorture/locks/driver"

func main() { driver.Main(openers()) }
