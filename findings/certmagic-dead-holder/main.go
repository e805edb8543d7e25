// certmagic v0.25.6: the lock file of a holder that has died is kept fresh by who had the lock before.
//
// FileStorage.Lock starts a goroutine that puts the time into the lock file every 5 s, and ends when
// it finds no file. It does not look whose file it is. If another process takes the lock within
// these 5 s, the goroutine of the former holder goes on with the file of the new one. When the new
// holder dies, its file never gets stale (10 s), and nobody gets the lock for as long as the former
// holder lives. Caddy's instances that share a directory renew their certificates under such locks.
//
// Exit 1: the failure showed.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/caddyserver/certmagic"
)

const (
	name    = "issue_cert_example.com"
	patient = 25 * time.Second // a lock file is stale after 10 s
)

func main() {
	if len(os.Args) > 1 { // a process that takes the lock, and then does nothing
		must((&certmagic.FileStorage{Path: os.Args[1]}).Lock(context.Background(), name))
		fmt.Println("locked")
		select {}
	}
	before := afterDeath(false)
	fmt.Println("1. B locks and is killed; C has the lock after", before)
	after := afterDeath(true)
	if after < patient {
		fmt.Println("2. A locks and unlocks, B locks and is killed; C has the lock after", after)
		fmt.Println("did not show")
		return
	}
	fmt.Println("2. A locks and unlocks, B locks and is killed; C waits in vain for", patient)
	if before >= patient {
		os.Exit(2) // then it is not because of A
	}
	os.Exit(1)
}

// afterDeath returns how long the lock of a process that was killed stays, with or without a former
// holder that lives: this process.
func afterDeath(former bool) time.Duration {
	dir, err := os.MkdirTemp("", "certmagic")
	must(err)
	defer os.RemoveAll(dir)
	ctx := context.Background()
	if former {
		a := &certmagic.FileStorage{Path: dir}
		must(a.Lock(ctx, name))
		must(a.Unlock(ctx, name))
	}
	b := exec.Command(os.Args[0], dir)
	out, err := b.StdoutPipe()
	must(err)
	must(b.Start())
	if !bufio.NewScanner(out).Scan() {
		must(errors.New("B has no lock"))
	}
	must(b.Process.Kill())
	_ = b.Wait() // killed

	start := time.Now()
	ctx, cancel := context.WithTimeout(ctx, patient)
	defer cancel()
	if err := (&certmagic.FileStorage{Path: dir}).Lock(ctx, name); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		must(err)
	}
	return min(time.Since(start).Round(100*time.Millisecond), patient)
}

func must(err error) {
	if err != nil {
		fmt.Println(err)
		os.Exit(2)
	}
}
