// etcd v3.7.3: a leader that was stopped says of a living lease that it is over.
//
// While the leader is stopped and cut off, the others elect a new one, and a client gets a lease. The
// old leader goes on. Until it hears of its successor (here for 0.3 s), it answers keep-alives from what
// it remembers: it never heard of the lease. ensureLeadership (of etcd#15247) is to prevent such answers,
// but asks nobody if the server's clock has ticked within 0.3 s, as it does once the server goes on.
//
// Needs etcd on PATH. Exit 1: the failure showed.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
)

var (
	ctx, cancel = context.WithTimeout(context.Background(), time.Minute)
	cut         atomic.Value // the member that the others cannot reach, in hexadecimal; "": none
)

func main() { os.Exit(run()) }

func run() int {
	defer cancel()
	cut.Store("")
	dir, err := os.MkdirTemp("", "etcd")
	check(err)
	defer os.RemoveAll(dir)
	var urls, peers, members []string
	for i := range 3 { // each reaches the others through links
		urls, peers = append(urls, "http://"+free()), append(peers, free())
		members = append(members, fmt.Sprintf("n%d=http://%s", i, link(peers[i])))
	}
	servers := map[string]*os.Process{}
	for i, m := range members {
		name, advertised, _ := strings.Cut(m, "=")
		s := exec.Command("etcd", "--name", name, "--data-dir", dir+"/"+name, "--listen-client-urls", urls[i], "--advertise-client-urls", urls[i],
			"--listen-peer-urls", "http://"+peers[i], "--initial-advertise-peer-urls", advertised, "--initial-cluster", strings.Join(members, ","))
		check(s.Start())
		defer func() { s.Process.Kill(); s.Wait() }()
		servers[urls[i]] = s.Process
	}
	old, member := leader(urls, "")
	asking := client(old)

	// 1. The leader is stopped and cut off, and the others elect another.
	cut.Store(member)
	check(servers[old].Signal(syscall.SIGSTOP))
	now, _ := leader(urls, old)

	// 2. A client gets a lease of 60 s.
	c := client(now)
	lease, err := c.Grant(ctx, 60)
	check(err)

	// 3. The old leader goes on, and is asked to keep the lease alive before it hears of its successor.
	time.AfterFunc(300*time.Millisecond, func() { cut.Store("") })
	check(servers[old].Signal(syscall.SIGCONT))
	time.Sleep(150 * time.Millisecond) // its clock ticks every 100 ms
	_, err = asking.KeepAliveOnce(ctx, lease.ID)
	left, lerr := c.TimeToLive(ctx, lease.ID)
	check(lerr)
	fmt.Printf("the old leader says: %v; the new one: the lease has %d s left\n", err, left.TTL)
	return map[bool]int{true: 1}[errors.Is(err, rpctypes.ErrLeaseNotFound) && left.TTL > 0]
}

// leader waits until a server but one leads, and returns its address and its member.
func leader(urls []string, but string) (url, member string) {
	for i := 0; ; i++ {
		u := urls[i%len(urls)]
		if u == but {
			continue
		}
		if st, err := client(u).Status(ctx, u); err == nil && st.Leader == st.Header.MemberId {
			return u, fmt.Sprintf("%x", st.Leader)
		}
		check(ctx.Err())
	}
}

// A conn between two servers is silent while one of them is cut off. Its head names both.
type conn struct {
	net.Conn
	head string
}

func (c conn) Write(p []byte) (int, error) {
	for m := cut.Load().(string); m != "" && strings.Contains(c.head, m); m = cut.Load().(string) {
		time.Sleep(time.Millisecond)
	}
	return c.Conn.Write(p)
}

// link passes on what servers say to another.
func link(to string) string {
	in, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	pass := func(a net.Conn) {
		head := make([]byte, 1<<16)
		n, _ := a.Read(head)
		if b, err := net.Dial("tcp", to); err == nil {
			b.Write(head[:n])
			go io.Copy(conn{b, string(head[:n])}, a)
			io.Copy(conn{a, string(head[:n])}, b)
		}
		a.Close()
	}
	go func() {
		for a, err := in.Accept(); err == nil; a, err = in.Accept() {
			go pass(a)
		}
	}()
	return in.Addr().String()
}

func client(url string) *clientv3.Client {
	c, err := clientv3.New(clientv3.Config{Endpoints: []string{url}, DialTimeout: 5 * time.Second, Logger: zap.NewNop()})
	check(err)
	return c
}

func free() string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	defer l.Close()
	return l.Addr().String()
}

func check(err error) {
	if err != nil {
		panic(err) // exit 2
	}
}
