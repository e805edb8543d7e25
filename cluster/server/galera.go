package server

import (
	"context"
	"fmt"
	"path"
	"strings"

	"locktorture/cluster"
)

// Galera is MariaDB as a node of a Galera cluster. Its second port is for the group, its third for
// the transfer of missed transactions.
type Galera struct{ MariaDB }

var _ Keeper = Galera{}

// galeraState declares a new node to be as advanced as the others, because their data directories
// are copies of one template. Missed transactions can then be transferred instead of a full dump.
const galeraState = `# GALERA saved state
version: 2.1
uuid:    6c6f636b-0000-4000-8000-746f72747572
seqno:   0
safe_to_bootstrap: 1
`

// FreshFile returns the name and the content of a file that is added to a new data directory.
func (Galera) FreshFile() (name, content string) { return "grastate.dat", galeraState }

// Args returns its arguments. provider is the path of the library that replicates.
func (g Galera) Args(s cluster.Spec, data, provider string, root bool) []string {
	options := []string{
		fmt.Sprintf("gmcast.listen_addr=tcp://127.0.0.1:%d", s.Ports[1]), fmt.Sprintf("ist.recv_addr=127.0.0.1:%d", s.Ports[2]), "gcache.size=16M",
	}
	own := s
	own.Args = nil
	return append(g.MariaDB.Args(own, data, root), append([]string{
		"--wsrep-on=ON", "--wsrep-provider=" + provider, "--binlog-format=ROW", "--innodb-autoinc-lock-mode=2",
		"--wsrep-node-name=" + s.Name, "--wsrep-node-address=127.0.0.1",
		// The only method of state transfer for which no server must be stopped.
		"--wsrep-sst-method=mysqldump", "--wsrep-sst-auth=root:", "--wsrep-sst-receive-address=" + Addr(s),
		"--wsrep-provider-options=" + strings.Join(options, ";"),
	}, s.Args...)...)
}

// Ready asks for the version, which a node reports once it is in sync with the others.
func (g Galera) Ready(ctx context.Context, s cluster.Spec) (string, error) {
	version, err := g.MariaDB.Ready(ctx, s)
	return version + ", galera", err
}

// WhyNoWipe implements Keeper: a node without its data would need a full dump.
func (Galera) WhyNoWipe() string {
	return "a node without its data would have to be sent a dump of it, which is not set up"
}

// ProviderFiles returns the possible paths of the library, one for each distribution.
func (Galera) ProviderFiles() []string {
	return []string{path.Join("/usr/lib/galera", "libgalera_smm.so"), path.Join("/usr/lib64/galera-4", "libgalera_smm.so")}
}
