package io.uniserve.api.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.api.plan.PlanContext.ReadStats;
import io.uniserve.codec.Bytes;
import io.uniserve.model.TableName;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ExplainFormatterTest {
    @Test
    void serversAreNamedAsStatusNamesThem() {
        assertThat(ExplainFormatter.formatStep(
                        "partial: 1 row",
                        new ReadStats(1_234, Set.of("b", "3f2a9c41-0000-4000-8000-00000000000a")),
                        1_500_000))
                .isEqualTo("partial: 1 row; 1,234 bytes read of 2 servers (3f2a9c41, b); 1.5 ms");
        assertThat(ExplainFormatter.formatStep("in place: t", ReadStats.NONE, 0))
                .isEqualTo("in place: t; 0.0 ms");
        assertThat(ExplainFormatter.formatServers(List.of("a"))).isEqualTo("1 server (a)");
    }

    @Test
    void ofManyServersTheFirstEightAreNamed() {
        List<String> ten =
                IntStream.range(0, 10).mapToObj(number -> "s" + number).toList();
        assertThat(ExplainFormatter.formatServers(ten.subList(0, 8)))
                .isEqualTo("8 servers (s0, s1, s2, s3, s4, s5, s6, s7)");
        assertThat(ExplainFormatter.formatServers(ten))
                .isEqualTo("10 servers (s0, s1, s2, s3, s4, s5, s6, s7 and 2 more)");
    }

    @Test
    void actorsAreToldOfAllWhereSomeWereAsked() {
        TableName table = new TableName("t");
        assertThat(ExplainFormatter.formatOperatorCall("retrieve", "kv.get@1", 1, 8, table))
                .isEqualTo("retrieve kv.get@1 at 1 of 8 actors of t");
        assertThat(ExplainFormatter.formatOperatorCall("retrieve", "kv.get@1", 8, 8, table))
                .isEqualTo("retrieve kv.get@1 at 8 actors of t");
        assertThat(ExplainFormatter.formatActors(1, 1, "t")).isEqualTo("1 actor of t");
    }

    @Test
    void stagesTellRowsAndAnswersTheirSize() {
        assertThat(ExplainFormatter.formatShuffleStage(new Shuffle.Stage(
                        "cut@1", new TableName("t"), 2, 1, 4_000, 2_000, 0, List.of("a", "b"), 5_000_000)))
                .isEqualTo(
                        "1 row, 4,000 bytes, 2,000 from other servers, 0 in files, 2 servers (a, b), stage of 5.0 ms");
        assertThat(ExplainFormatter.formatAnswer(
                        new Answer("application/json", Bytes.utf8("x".repeat(1_234))), ", on server a"))
                .isEqualTo("answer: 1,234 bytes of application/json, on server a");
    }
}
