package main

import (
	"context"
	"path/filepath"
	"strings"

	"locktorture/registry"
	"locktorture/report"
	"locktorture/trial"
)

// clearKeys removes what a killed run has left on servers of the user's, and returns how many
// keys that were. The secrets are those of the environment, or of the files that the run
// named.
func clearKeys(ctx context.Context, path string) (int, error) {
	var run report.Run
	if err := trial.ReadJSON(filepath.Join(path, "run.json"), &run); err != nil {
		return 0, notRun(path, err)
	}
	flag := map[string]string{}
	for _, f := range run.Flags {
		flag[f.Name] = f.Value
	}
	if run.Provisioner != registry.Theirs || flag["key-prefix"] == "" || flag["endpoints"] == "" {
		return 0, usage("%s: the run was not on servers of your own", path)
	}
	a := accessSpec{
		Endpoints: strings.Split(flag["endpoints"], ","), TLS: flag["tls"] == "true", TLSCA: flag["tls-ca"],
		TLSCert: flag["tls-cert"], TLSKey: flag["tls-key"], TLSServerName: flag["tls-server-name"],
		UserFile: flag["user-file"], PasswordFile: flag["password-file"], Database: flag["database"], SentinelMaster: flag["sentinel-master"],
	}
	x, err := a.read(ctx, registry.Theirs, false)
	if err != nil {
		return 0, err
	}
	n, err := x.Sweep(ctx, run.Topology, flag["key-prefix"])
	if err != nil {
		return n, secretsIn(x).CleanError(joinedNot(err))
	}
	return n, nil
}
