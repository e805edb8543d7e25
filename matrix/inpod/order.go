package inpod

// An Order is what torture tells the program that carries a matrix out on Kubernetes.
type Order struct {
	Kubeconfig string            `json:"kubeconfig,omitempty"` // "": as kubectl
	Namespace  string            `json:"namespace,omitempty"`
	Image      string            `json:"image,omitempty"`
	Job        string            `json:"job,omitempty"`
	Requests   map[string]string `json:"requests,omitempty"`
	Jobs       int               `json:"jobs,omitempty"`
	Out        string            `json:"out,omitempty"`
	Wire       string            `json:"wire,omitempty"`
}
