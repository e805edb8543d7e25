package wire

import (
	"fmt"
	"net/url"
)

// A Secured is a server that is reached by HTTPS and lets in who has a token. As an endpoint it
// is "https://:TOKEN@ADDR?ca=FILE".
type Secured struct {
	Addr  string // host:port to dial
	CA    string // PEM file of the authority that the server's certificate is checked against
	Token string
}

// String is the server as an endpoint.
func (s Secured) String() string {
	u := url.URL{Scheme: "https", Host: s.Addr, User: url.UserPassword("", s.Token), RawQuery: url.Values{"ca": {s.CA}}.Encode()}
	return u.String()
}

// ParseSecured reads an endpoint.
func ParseSecured(endpoint string) (Secured, error) {
	u, err := url.Parse(endpoint)
	if err != nil || u.Scheme != "https" || u.Host == "" {
		return Secured{}, fmt.Errorf("an endpoint is not https://:TOKEN@ADDR?ca=FILE")
	}
	s := Secured{Addr: u.Host, CA: u.Query().Get("ca")}
	s.Token, _ = u.User.Password()
	return s, nil
}
