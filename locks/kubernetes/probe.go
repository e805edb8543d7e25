package kubernetes

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"

	"locktorture/internal/wire"
	"locktorture/locks"
)

// A Probe queries an API server for the holder of an election's Lease.
type Probe struct {
	server wire.Secured
	http   *http.Client
	node   string
}

var _ locks.Prober = (*Probe)(nil)

// probeTime limits each query.
const probeTime = time.Second

// NewProbe returns a probe of these API servers (in the format of Secured in internal/wire). It
// reports them as one node under the name node, because they read a Lease from etcd.
func NewProbe(endpoints []string, node string) (*Probe, error) {
	if len(endpoints) == 0 {
		return nil, errors.New("kubernetes probe: no endpoint")
	}
	server, err := wire.ParseSecured(endpoints[0])
	if err != nil {
		return nil, fmt.Errorf("kubernetes probe: %w", err)
	}
	pem, err := os.ReadFile(server.CA)
	if err != nil {
		return nil, fmt.Errorf("kubernetes probe: %w", err)
	}
	known := x509.NewCertPool()
	if !known.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("kubernetes probe: %s has no certificate", server.CA)
	}
	return &Probe{server: server, node: node, http: &http.Client{
		Timeout: probeTime, Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: known}, ForceAttemptHTTP2: true},
	}}, nil
}

// A lease holds the fields of a Lease object that a probe reads.
type lease struct {
	Spec struct {
		HolderIdentity       string
		RenewTime            time.Time
		LeaseDurationSeconds *int
	}
}

// Probe returns the holder's identity, and the remaining time according to the holder's own entry.
// A candidate does not rely on that entry but on its own observation.
func (p *Probe) Probe(ctx context.Context, name string) ([]locks.Sight, error) {
	sight := locks.Sight{Node: p.node, Left: -1}
	l, err := p.get(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("probe %s: %w", p.node, err)
	}
	s := l.Spec
	if s.HolderIdentity == "" || s.RenewTime.IsZero() || s.LeaseDurationSeconds == nil {
		return []locks.Sight{sight}, nil
	}
	sight.Owner = s.HolderIdentity
	sight.Left = max(0, time.Until(s.RenewTime.Add(time.Duration(*s.LeaseDurationSeconds)*time.Second)))
	return []locks.Sight{sight}, nil
}

// get reads a Lease; a missing one is empty.
func (p *Probe) get(ctx context.Context, name string) (l lease, err error) {
	url := "https://" + p.server.Addr + "/apis/coordination.k8s.io/v1/namespaces/" + Namespace + "/leases/" + Name(name)
	ask, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return l, err
	}
	ask.Header.Set("Authorization", "Bearer "+p.server.Token)
	ask.Header.Set("Accept", "application/json")
	answer, err := p.http.Do(ask)
	if err != nil {
		return l, err
	}
	defer answer.Body.Close()
	switch answer.StatusCode {
	case http.StatusNotFound:
		return l, nil
	case http.StatusOK:
		return l, json.NewDecoder(answer.Body).Decode(&l)
	}
	return l, fmt.Errorf("the API server answered %s", answer.Status)
}

// Close drops the connections.
func (p *Probe) Close() error {
	p.http.CloseIdleConnections()
	return nil
}
