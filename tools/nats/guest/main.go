// Command guest is the server of NATS as a guest of a simulation (simulate). It runs nowhere else.
package main

import (
	"flag"
	"io"

	"github.com/nats-io/nats-server/v2/server"

	"locktorture/tools/guests/host"
)

func main() { host.Main(serve) }

// room is the size of the store in memory and on disk, in bytes. Without it, the server would measure
// this machine.
const room = 1 << 30

func serve(args []string) error {
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	o, err := server.ConfigureOptions(flags, args[1:], nil, nil, nil)
	if err != nil {
		return err
	}
	o.NoSigs, o.JetStreamMaxMemory, o.JetStreamMaxStore = true, room, room
	s, err := server.NewServer(o)
	if err != nil {
		return err
	}
	s.ConfigureLogger()
	s.Start()
	s.WaitForShutdown()
	return nil
}
