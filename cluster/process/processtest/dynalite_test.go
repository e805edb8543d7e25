//go:build linux

package processtest_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"locktorture/cluster"
	"locktorture/cluster/process"
)

// dynamo sends one request to the table of locks, and returns the answer with its status.
func dynamo(t *testing.T, addr, operation, body string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+addr+"/", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Close = true
	req.Header.Set("Content-Type", "application/x-amz-json-1.0")
	req.Header.Set("X-Amz-Target", "DynamoDB_20120810."+operation)
	req.Header.Set("X-Amz-Date", "20000101T000000Z")
	req.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=k/20000101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=s")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.Status + " " + string(answer)
}

// dynalite refuses a conditional put of what is there, also after a restart; wiped it has an
// empty table.
func TestDynalite(t *testing.T) {
	c := start(t, cluster.Config{Topology: "dynalite", Clients: 1})
	node, addr := c.Nodes[0].(*process.Node), c.Endpoints(1)[0]
	if node.Version() != "dynalite 4.0.0" || node.WhyNot("clock") == "" {
		t.Errorf("version is %q, its clock cannot be moved because %q", node.Version(), node.WhyNot("clock"))
	}
	const put = `{"TableName": "locks", "Item": {"id": {"S": "a"}}, "ConditionExpression": "attribute_not_exists(id)"}`
	want := func(when, what string) {
		t.Helper()
		if got := dynamo(t, addr, "PutItem", put); !strings.Contains(got, what) {
			t.Errorf("a put %s: %s, not %s", when, got, what)
		}
	}
	want("of what is not there", "200 OK")
	want("of what is there", "ConditionalCheckFailedException")
	for _, wipe := range []bool{false, true} {
		if err := node.Kill(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := node.Start(t.Context(), wipe); err != nil {
			t.Fatal(err)
		}
		if wipe {
			want("into an empty table", "200 OK")
		} else {
			want("after a restart", "ConditionalCheckFailedException")
		}
	}
}
