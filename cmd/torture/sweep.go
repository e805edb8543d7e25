package main

import (
	"context"
	"path/filepath"
	"strings"

	"locktorture/registry"
	"locktorture/report"
	"locktorture/trial"
)

// specOfRun reads how a run got into the user's servers. Its secrets are those of the
// environment, or of the files that it named.
func specOfRun(ctx context.Context, path string) (s runSpec, topology string, err error) {
	var run report.Run
	if err := trial.ReadJSON(filepath.Join(path, "run.json"), &run); err != nil {
		return s, "", usage("%v", err)
	}
	flag := map[string]string{}
	for _, f := range run.Flags {
		flag[f.Name] = f.Value
	}
	if run.Provisioner != registry.Theirs || flag["key-prefix"] == "" || flag["endpoints"] == "" {
		return s, "", usage("%s: %v", path, errNotExternal)
	}
	s.Clients = 1
	s.accessSpec = accessSpec{
		Endpoints: strings.Split(flag["endpoints"], ","), TLS: flag["tls"] == "true", TLSCA: flag["tls-ca"],
		TLSCert: flag["tls-cert"], TLSKey: flag["tls-key"], TLSServerName: flag["tls-server-name"],
		UserFile: flag["user-file"], PasswordFile: flag["password-file"], Database: flag["database"],
		SentinelMaster: flag["sentinel-master"], prefix: flag["key-prefix"],
	}
	if err := s.complete(ctx, registry.Theirs, false); err != nil {
		return s, "", err
	}
	if s.access, err = s.accessSpec.open(); err != nil {
		return s, "", err
	}
	return s, run.Topology, nil
}
