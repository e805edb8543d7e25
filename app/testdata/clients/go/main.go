// Worker does one key after another under a lock, or without one: worker locked|unlocked DIRECTORY
package main

import (
	"fmt"
	"log"
	"os"
	"time"

	"example.com/torture"
)

func main() {
	how, lock := os.Args[1], os.Args[2]
	for n := 1; ; n++ {
		if how == "locked" {
			if err := os.Mkdir(lock, 0o700); err != nil {
				time.Sleep(5 * time.Millisecond)
				continue
			}
		}
		e := torture.Event{Job: "payout", Key: fmt.Sprintf("%d-%d", os.Getpid(), n)}
		tell("begin", e)
		time.Sleep(20 * time.Millisecond)
		tell("end", e)
		if how == "locked" {
			if err := os.Remove(lock); err != nil {
				log.Fatal(err)
			}
		}
		fmt.Println("at work")
		time.Sleep(10 * time.Millisecond)
	}
}

func tell(what string, e torture.Event) {
	if err := torture.Tell(what, e); err != nil {
		log.Fatal(err)
	}
}
