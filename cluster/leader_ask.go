package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// AskZooKeeper sends a ZooKeeper server a four-letter word and returns the answer.
func AskZooKeeper(ctx context.Context, addr, word string) (string, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp4", addr)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	if _, err := io.WriteString(conn, word); err != nil {
		return "", fmt.Errorf("send %s: %w", word, err)
	}
	answer, err := io.ReadAll(io.LimitReader(conn, 1<<20))
	if err != nil {
		return "", fmt.Errorf("answer to %s: %w", word, err)
	}
	return string(answer), nil
}

// AskServing calls AskZooKeeper with a word that only a serving server answers, such as mntr. A
// server that has just lost its leader, or starts late on a busy machine, reports for a while that
// it does not serve: the request is repeated until ctx ends.
func AskServing(ctx context.Context, addr, word string) (string, error) {
	for {
		answer, err := AskZooKeeper(ctx, addr, word)
		if err != nil || !strings.Contains(answer, "not currently serving requests") {
			return answer, err
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
			return "", fmt.Errorf("ask %s for %s: it does not serve: %w", addr, word, ctx.Err())
		}
	}
}

// zooKeeperRole reads "Mode: leader" and the epoch, which is the upper half of the last
// transaction's number.
func zooKeeperRole(ctx context.Context, addr string) (role, error) {
	answer, err := AskZooKeeper(ctx, addr, "srvr")
	if err != nil {
		return role{}, err
	}
	var r role
	for line := range strings.Lines(answer) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch key {
		case "Mode":
			r.leads = value == "leader"
		case "Zxid":
			zxid, err := strconv.ParseUint(value, 0, 64)
			if err != nil {
				return role{}, fmt.Errorf("zxid of %s: %w", addr, err)
			}
			r.term = zxid >> 32
		}
	}
	return r, nil
}

// etcdRole compares the id of the member with the id of its leader.
func etcdRole(ctx context.Context, addr string) (role, error) {
	var v struct {
		Header struct {
			Member string `json:"member_id"`
			Term   uint64 `json:"raft_term,string"`
		} `json:"header"`
		Leader string `json:"leader"`
	}
	err := askJSON(ctx, http.MethodPost, "http://"+addr+"/v3/maintenance/status", "{}", &v)
	return role{leads: v.Leader != "" && v.Leader == v.Header.Member, term: v.Header.Term}, err
}

// consulLeader returns a function that finds the leader by the advertised addresses. A node's own
// view (/v1/agent/self) would take seconds while another node is stopped.
func consulLeader(nodes []Node, advertised []string) func(context.Context) (int, error) {
	return mostNamed(advertised, func(ctx context.Context, i int) (leader string, err error) {
		err = askJSON(ctx, http.MethodGet, "http://"+nodes[i].Addr()+"/v1/status/leader", "", &leader)
		return leader, err
	})
}

// mostNamed returns a function that asks all nodes at once for their leader, and returns the node
// that a majority names.
func mostNamed(names []string, ask func(ctx context.Context, node int) (string, error)) func(context.Context) (int, error) {
	return func(ctx context.Context) (int, error) {
		ctx, cancel := context.WithTimeout(ctx, roleTime)
		defer cancel()
		named := make([]string, len(names))
		var wg sync.WaitGroup
		for i := range names {
			wg.Go(func() {
				if leader, err := ask(ctx, i); err == nil {
					named[i] = leader
				}
			})
		}
		wg.Wait()
		for i, name := range names {
			votes := 0
			for _, n := range named {
				if n == name {
					votes++
				}
			}
			if votes > len(names)/2 {
				return i, nil
			}
		}
		return -1, fmt.Errorf("of %d nodes: %w", len(names), ErrNoLeader)
	}
}

// askJSON sends a request over a connection of its own, and decodes the answer.
func askJSON(ctx context.Context, method, url, body string, v any) error {
	req, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return err
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s %s: %s", method, url, resp.Status)
	}
	return json.NewDecoder(resp.Body).Decode(v)
}
