package io.uniserve.checks;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CodeOnlyTest {
    @Test
    void commentsAndLiteralsAreBlankedAndLinesKept() {
        String source =
                "a(); // one\n/* two\n */ b(\"three // \\\" \", 'x');\nString s = \"\"\"\n  four \"quoted\"\n  \"\"\"; c();\n";
        String code = CodeOnly.of(source);
        assertThat(code).contains("a();", "b(", "c();").doesNotContain("one", "two", "three", "four", "quoted", "x'");
        assertThat(code.lines().count()).isEqualTo(source.lines().count());
    }

    @Test
    void aQuoteAsCharacterDoesNotOpenAString() {
        assertThat(CodeOnly.of("if (c == '\"') { d(); } // \"")).contains("d();");
    }
}
