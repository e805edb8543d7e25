package runs

import (
	"context"
	"os"
	"strings"

	"locktorture/internal/exit"
	"locktorture/registry"
	"locktorture/trial"
)

// ClearKeys removes what a killed run has left on servers of the user's, and returns how many
// keys that were. It goes by what this machine has noted of the run. The secrets are those of
// the environment, or of the files that the run was given.
func ClearKeys(ctx context.Context, path string) (int, error) {
	if _, err := os.Stat(path); err != nil {
		return 0, NotRun(path, err)
	}
	noted, forget, err := readKeys(path)
	if err != nil {
		return 0, err
	}
	lives, err := trial.Lives(path)
	switch {
	case err != nil:
		return 0, exit.Usage("%v", err)
	case lives:
		return 0, exit.Usage("%s: the run is not over, and needs its keys", path)
	}
	flag := map[string]string{}
	for _, f := range noted.Flags {
		flag[f.Name] = f.Value
	}
	a := AccessSpec{
		Endpoints: strings.Split(flag["endpoints"], ","), TLS: flag["tls"] == "true", TLSCA: flag["tls-ca"],
		TLSCert: flag["tls-cert"], TLSKey: flag["tls-key"], TLSServerName: flag["tls-server-name"], KeyPrefix: flag["key-prefix"],
		UserFile: flag["user-file"], PasswordFile: flag["password-file"], Database: flag["database"], SentinelMaster: flag["sentinel-master"],
	}
	if err := a.Check(); err != nil {
		return 0, err
	}
	x, err := a.Read(ctx, registry.Theirs, false)
	if err != nil {
		return 0, err
	}
	n, err := x.Sweep(ctx, noted.Topology, a.KeyPrefix)
	if err != nil {
		return n, secretsIn(x).CleanError(joinedNot(err))
	}
	return n, forget()
}
