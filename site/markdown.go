package site

import (
	"html"
	"html/template"
	"regexp"
	"strings"
)

// markdown writes the text of a report as HTML: headings, paragraphs, lists, code, and links to pages of
// the web. Whatever else it has stands there as text.
func markdown(text string) template.HTML {
	var b strings.Builder
	for i, part := range strings.Split(text, "\n```") {
		if i%2 == 1 { // between two fences
			_, code, _ := strings.Cut(part, "\n")
			b.WriteString("<pre>" + html.EscapeString(code) + "</pre>\n")
			continue
		}
		if i > 0 {
			_, part, _ = strings.Cut(part, "\n") // the rest of the line of the fence
		}
		for block := range strings.SplitSeq(part, "\n\n") {
			b.WriteString(paragraph(strings.TrimSpace(block)))
		}
	}
	return template.HTML(b.String()) // every part of it was escaped
}

// paragraph writes one block.
func paragraph(block string) string {
	switch {
	case block == "":
		return ""
	case strings.HasPrefix(block, "#"):
		return "<h2>" + inline(strings.TrimLeft(block, "# ")) + "</h2>\n"
	case strings.HasPrefix(block, "- "):
		items := strings.Split(strings.TrimPrefix(block, "- "), "\n- ")
		for i, item := range items {
			items[i] = "<li>" + inline(item) + "</li>"
		}
		return "<ul>" + strings.Join(items, "") + "</ul>\n"
	}
	return "<p>" + inline(block) + "</p>\n"
}

// spans matches code, what is bold, and links.
var spans = regexp.MustCompile("`([^`]+)`|\\*\\*([^*]+)\\*\\*|\\[([^\\]]+)\\]\\(([^)\\s]+)\\)")

// inline writes the inside of a block.
func inline(text string) string {
	var b strings.Builder
	end := 0
	for _, m := range spans.FindAllStringSubmatchIndex(text, -1) {
		b.WriteString(html.EscapeString(text[end:m[0]]))
		end = m[1]
		switch {
		case m[2] >= 0:
			b.WriteString("<code>" + html.EscapeString(text[m[2]:m[3]]) + "</code>")
		case m[4] >= 0:
			b.WriteString("<b>" + html.EscapeString(text[m[4]:m[5]]) + "</b>")
		default:
			b.WriteString(link(text[m[6]:m[7]], text[m[8]:m[9]]))
		}
	}
	return b.String() + html.EscapeString(text[end:])
}

// link is one to a page of the web; others are files of the repository, which the site does not have.
func link(text, to string) string {
	if !strings.HasPrefix(to, "https://") && !strings.HasPrefix(to, "http://") {
		return html.EscapeString(text)
	}
	return `<a href="` + html.EscapeString(to) + `">` + html.EscapeString(text) + "</a>"
}
