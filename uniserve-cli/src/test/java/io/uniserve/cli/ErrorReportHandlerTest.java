package io.uniserve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.cli.TestingConsole.Run;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.error.Attempt;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ErrorReportHandlerTest {
    private static Run failing(RuntimeException failure) {
        return new TestingConsole(bootstrap -> {
                    throw failure;
                })
                .run("table", "list");
    }

    @ParameterizedTest
    @EnumSource(ErrorCode.class)
    void everyCodeHasAnExitCodeByItsRange(ErrorCode code) {
        int expected = List.of(
                        ExitCode.REFUSED, ExitCode.EXHAUSTED, ExitCode.UNAVAILABLE, ExitCode.FAULT, ExitCode.FAULT)
                .get(code.number() / 1_000 - 1);
        Run run = failing(new UniserveException(code, "what and why"));
        assertThat(run.exit()).isEqualTo(expected);
        assertThat(run.err()).isEqualTo("uniserve: " + code + ": what and why" + System.lineSeparator());
        assertThat(run.out()).isEmpty();
    }

    @Test
    void whatWasTriedIsTold() {
        Attempt attempt = new Attempt("server-7 127.0.0.1:7071", ErrorCode.UNAVAILABLE, "connection refused");
        Run run = failing(new UniserveException(ErrorCode.UNAVAILABLE, "nobody answers", List.of(attempt), null));
        assertThat(run.err().lines())
                .containsExactly(
                        "uniserve: UNAVAILABLE: nobody answers",
                        "  tried: UNAVAILABLE connection refused: server-7 127.0.0.1:7071");
    }

    /** The causes of a server's own attempts are separate lines, not part of its message. */
    @Test
    void aLinePerDistinctCause() {
        List<Attempt> attempts = new ArrayList<>();
        for (int i = 0; i < 48; i++) {
            attempts.add(new Attempt("server s" + i % 6, ErrorCode.UNAVAILABLE, "127.0.0.1:" + i + ": refused"));
            attempts.add(new Attempt("server s1", ErrorCode.LEASE_EXPIRED, "actor " + i + " has no\nlease"));
        }
        Run run = failing(new UniserveException(ErrorCode.UNAVAILABLE, "none", attempts, null));
        assertThat(run.err().lines())
                .containsExactly(
                        "uniserve: UNAVAILABLE: none",
                        "  tried: UNAVAILABLE 127.0.0.1:0: refused: server s0, server s1, server s2, server s3, 2 more (48 times)",
                        "  tried: LEASE_EXPIRED actor 0 has no lease: server s1 (48 times)");
    }

    @Test
    void oneLineWithoutControlCharacters() {
        Run run = failing(new UniserveException(ErrorCode.CORRUPT, "first\nsecond\u001b[31m\0"));
        assertThat(run.err().strip()).isEqualTo("uniserve: CORRUPT: first | second?[31m?");
    }

    @Test
    void wrappedFailuresAreSeenThrough() {
        Run run = failing(new CompletionException(new UniserveException(ErrorCode.DISK_FULL, "no room")));
        assertThat(run.exit()).isEqualTo(ExitCode.EXHAUSTED);
        assertThat(run.err()).startsWith("uniserve: DISK_FULL: no room");
    }

    @Test
    void anythingElseIsAFault() {
        Run run = failing(new IllegalStateException("odd"));
        assertThat(run.exit()).isEqualTo(ExitCode.FAULT);
        assertThat(run.err()).startsWith("uniserve: INTERNAL: ").contains("odd", "-v");
        assertThat(run.err().lines()).hasSize(1);
    }
}
