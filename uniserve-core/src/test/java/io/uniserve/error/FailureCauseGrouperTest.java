package io.uniserve.error;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FailureCauseGrouperTest {
    private static Attempt attempt(String where, String message) {
        return new Attempt(where, ErrorCode.UNAVAILABLE, message);
    }

    @Test
    void aLinePerCauseWithItsServers() {
        List<Attempt> attempts = new ArrayList<>(List.of(
                attempt("server a", "127.0.0.1:7071: connection refused"),
                attempt("server b", "127.0.0.1:7072: connection refused"),
                attempt("server a", "127.0.0.1:7071: connection refused"),
                new Attempt("server a", ErrorCode.DEADLINE_EXCEEDED, "no answer after 1203 ms")));
        assertThat(FailureCauseGrouper.of(attempts))
                .containsExactly(
                        "UNAVAILABLE 127.0.0.1:7071: connection refused: server a, server b (3 times)",
                        "DEADLINE_EXCEEDED no answer after 1203 ms: server a");
        assertThat(FailureCauseGrouper.of(List.of())).isEmpty();
    }

    @Test
    void causesServersAndTextsAreBounded() {
        List<Attempt> attempts = new ArrayList<>();
        for (int cause = 0; cause < 20; cause++) {
            for (int server = 0; server < 50; server++) {
                attempts.add(attempt("server " + server, "x".repeat(cause + 1) + "\n" + "y".repeat(100_000)));
            }
        }
        List<String> lines = FailureCauseGrouper.of(attempts);
        assertThat(lines).hasSize(9).allMatch(line -> line.length() < 450 && !line.contains("\n"));
        assertThat(lines.get(0)).endsWith("server 0, server 1, server 2, server 3, 46 more (50 times)");
        assertThat(lines.get(8)).isEqualTo("12 more causes");
        assertThat(new UniserveException(ErrorCode.UNAVAILABLE, "none", attempts, null).getMessage())
                .startsWith("UNAVAILABLE: none [tried: UNAVAILABLE x")
                .hasSizeLessThan(4_000);
    }
}
