package cluster

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"
)

// memberTime bounds one answer about members.
const memberTime = 3 * time.Second

// An etcdMember is a member as etcd lists it. A member that has not started yet has no name.
type etcdMember struct {
	ID, Name string
	PeerURLs []string `json:"peerURLs"`
}

// readmitEtcd replaces a member that has lost its data, as etcd's manual prescribes: the other
// members remove it, and add a new member with the same address. They refuse until they have been
// connected to each other for some seconds.
func readmitEtcd(ctx context.Context, nodes []Node, lost int, peer string) error {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	var last error
	err := poll(ctx, roleTime, func() (bool, error) {
		for i, n := range nodes {
			if i == lost {
				continue
			}
			if last = replaceEtcd(ctx, n.Addr(), peer); last == nil {
				return true, nil
			}
		}
		return false, nil
	})
	if err != nil {
		return fmt.Errorf("replace %s: %w", nodes[lost].Name(), errors.Join(err, last))
	}
	return nil
}

// replaceEtcd asks the member at addr for the steps that are still missing: the removal of the old
// member at peer, and the addition of the new one.
func replaceEtcd(ctx context.Context, addr, peer string) error {
	var list struct{ Members []etcdMember }
	if err := askEtcdMembers(ctx, addr, "list", "{}", &list); err != nil {
		return err
	}
	at := slices.IndexFunc(list.Members, func(m etcdMember) bool { return slices.Contains(m.PeerURLs, peer) })
	switch {
	case at >= 0 && list.Members[at].Name == "":
		return nil // the new member was added before, but the answer was lost
	case at >= 0:
		if err := askEtcdMembers(ctx, addr, "remove", fmt.Sprintf(`{"ID":%q}`, list.Members[at].ID), &struct{}{}); err != nil {
			return err
		}
	}
	return askEtcdMembers(ctx, addr, "add", fmt.Sprintf(`{"peerURLs":[%q]}`, peer), &struct{}{})
}

// askEtcdMembers sends one request about members and waits at most memberTime, because a member
// that has just lost its leader may never answer.
func askEtcdMembers(ctx context.Context, addr, what, body string, v any) error {
	ctx, cancel := context.WithTimeout(ctx, memberTime)
	defer cancel()
	return askJSON(ctx, http.MethodPost, "http://"+addr+"/v3/cluster/member/"+what, body, v)
}
