package io.uniserve.cli.badinput;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.uniserve.client.TableSpec;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.Codecs;
import io.uniserve.error.ErrorCode;
import io.uniserve.limit.Limits;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.protocol.exchange.ScatterEnvelope;
import io.uniserve.protocol.message.ExchangeId;
import io.uniserve.runtime.proto.DataProto;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Invalid plans of several stages, whose operators produce too much, throw or hang: they are refused, and servers keep nothing of them. */
@ExtendWith(BadInputCluster.Shared.class)
class PlansIT {
    private final BadInputCluster bad;

    PlansIT(BadInputCluster bad) {
        this.bad = bad;
    }

    private String ask(String kind) {
        return bad.client.query("trouble", TroublePlans.PREFIX + kind).body().utf8();
    }

    /** Data that servers keep for plans. */
    private List<String> kept() {
        List<String> kept = new ArrayList<>();
        for (int server = 1; server <= 2; server++) {
            bad.cluster
                    .server(server)
                    .scrape()
                    .lines()
                    .filter(line -> line.matches("uniserve_server_exchange_(runs|bytes|files) .*"))
                    .forEach(kept::add);
        }
        assertThat(kept).hasSize(6);
        return kept;
    }

    @AfterEach
    void nothingIsKeptAndRightPlansAreAnswered() {
        assertThat(ask("right")).isEqualTo(TroublePlans.RIGHT);
        await().untilAsserted(() -> assertThat(kept()).allMatch(line -> line.endsWith(" 0.0")));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "chunks            | PORT_PROTOCOL    | 4 of 4",
                "twice             | PORT_PROTOCOL    | second chunk",
                "large             | TOO_LARGE        | at most 67108864: scatter into more slots",
                "throw             | PORT_FAILED      | broken on purpose",
                "deep              | PORT_FAILED      | deep on purpose",
                "stages            | INVALID_ARGUMENT | 17 scatters and maps, use 1 to 16",
                "parameters        | TOO_LARGE        | parameters of trouble.scatter@1",
                "gather parameters | TOO_LARGE        | parameters of trouble.gather@1",
                "keys none         | INVALID_ARGUMENT | scatter of 0 actors of table trouble",
                "keys twice        | INVALID_ARGUMENT | names an actor twice",
                "keys beyond       | INVALID_ARGUMENT | actor 4 of table trouble",
                "keys negative     | INVALID_ARGUMENT | actor -1 of table trouble",
                "keys many         | INVALID_ARGUMENT | use 1 to"
            })
    void plansThatCannotBeAndOperatorsThatPutTooMuch(String kind, ErrorCode code, String words) {
        int before = TroublePlans.PUT.get();
        bad.refused(code, () -> ask(kind), words);
        // A scatter ends at its first invalid chunk and is not repeated.
        assertThat(TroublePlans.PUT.get() - before).isLessThan(1_000);
    }

    /** The chunk exceeds the memory or the limit of a chunk. */
    @Test
    void aChunkOfTwoGigabytes() {
        ClusterState before = ClusterState.settled(bad.client);
        var run = bad.run(List.of("query", "trouble", TroublePlans.PREFIX + "gigabytes", "--deadline", "3m"));
        assertThat(run.err())
                .containsAnyOf("TOO_LARGE: a chunk of 2147483639 bytes", "ran out of memory: ask for less");
        assertThat(run.exit()).isNotZero();
        assertThat(ClusterState.settled(bad.client)).isEqualTo(before);
        assertThat(bad.cluster.failures()).isEmpty();
    }

    @Test
    void moreChunksThanAPlanMayHave() {
        ClusterState before = ClusterState.settled(bad.client);
        bad.client.admin().createTable(TableSpec.named("wide").port("trouble").hash(257));
        ClusterState.settled(bad.client);
        bad.refused(
                ErrorCode.TOO_LARGE,
                () -> bad.client.query("wide", TroublePlans.PREFIX + "right"),
                "a plan of 66049 chunks, at most 65536: gather at a table of fewer actors");
        bad.client.admin().dropTable("wide");
        await().until(() -> ClusterState.of(bad.client).equals(before));
    }

    /** Servers may report hanging threads of the operators, which they count late, but no others. */
    @Test
    void aGatherThatLooksAtItsDeadlineGivesItsThreadBack() {
        int before = TroublePlans.LOOPS.get();
        Duration soon = Duration.ofMillis(500);
        await().until(
                        () -> { // on a stopped machine the time may end before an operator begins
                            bad.refused(
                                    ErrorCode.DEADLINE_EXCEEDED,
                                    () -> bad.client.query("trouble", TroublePlans.PREFIX + "loop", soon),
                                    "");
                            return TroublePlans.LOOPS.get() > before;
                        });
        await().until(() -> TroublePlans.LOOPS_ENDED.get() == TroublePlans.LOOPS.get());
        await().until(() -> stuck() <= TroubleOperators.HANGING.get());
    }

    @Test
    void aGatherThatNeverEndsIsToldOfByItsServerAndMadeUpFor() {
        long before = stuck();
        Duration soon = Duration.ofMillis(700);
        for (int i = 0; i < 3; i++) {
            bad.refused(
                    ErrorCode.DEADLINE_EXCEEDED,
                    () -> bad.client.query("trouble", TroublePlans.PREFIX + "hang", soon),
                    "");
        }
        await().until(() -> stuck() > before);
        assertThat(bad.client.query("words", "count").body().utf8()).isEqualTo("{\"count\":50}");
    }

    /** Threads of both servers in calls past their deadlines. */
    private long stuck() {
        double all = 0;
        for (int server = 1; server <= 2; server++) {
            all += bad.cluster
                    .server(server)
                    .scrape()
                    .lines()
                    .filter(line -> line.startsWith("uniserve_server_reads_stuck "))
                    .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
                    .findAny()
                    .orElseThrow();
        }
        return (long) all;
    }

    /** Frames that no planner creates, sent to a server directly. */
    @Test
    void framesOfStagesThatAreNone() {
        TableRoute table = bad.client.admin().describeTable("trouble");
        try (RawCalls server = new RawCalls(bad.client.routing().servers().stream()
                .filter(one -> one.id().equals(table.map().actors().get(0).primary()))
                .map(one -> one.address().toString())
                .findAny()
                .orElseThrow())) {
            ExchangeId exchange = new ExchangeId(7, 1);
            Bytes right =
                    ScatterEnvelope.CODEC.encode(new ScatterEnvelope(exchange, 0, 4, Codecs.STRING.encode("right")));
            for (int slots : new int[] {0, -1, 100_000_000, Integer.MAX_VALUE}) {
                refused(server, table, "trouble.scatter@1", frame(exchange, 0, slots), "slots");
            }
            for (int stage : new int[] {-1, Limits.PLAN_SCATTERS_MAX, Integer.MAX_VALUE}) {
                refused(server, table, "trouble.scatter@1", frame(exchange, stage, 4), "stage");
            }
            SplittableRandom random = new SplittableRandom(11);
            for (int i = 0; i < 15; i++) {
                byte[] damaged = right.toArray();
                int length = random.nextInt(damaged.length);
                refused(server, table, "trouble.scatter@1", Bytes.wrap(damaged).slice(0, length), "parameters");
                refused(server, table, "trouble.gather@1", Bytes.wrap(damaged).slice(0, length), "chunks");
                byte[] gather = new byte[8 + random.nextInt(200)];
                random.nextBytes(gather);
                System.arraycopy(
                        new BinaryWriter()
                                .writeLong(0x556e694761746872L)
                                .toBytes()
                                .toArray(),
                        0,
                        gather,
                        0,
                        8);
                refused(server, table, "trouble.gather@1", Bytes.wrap(gather), "a gather");
            }
        }
    }

    private static Bytes frame(ExchangeId exchange, int stage, int slots) {
        BinaryWriter out = new BinaryWriter();
        exchange.write(out);
        out.writeInt(stage).writeInt(slots).writeBytes(Codecs.STRING.encode("right"));
        return out.toBytes();
    }

    private void refused(RawCalls server, TableRoute table, String operator, Bytes parameters, String word) {
        ClusterState before = ClusterState.settled(bad.client);
        DataProto.ReadReply reply = server.read(DataProto.ReadsCall.newBuilder()
                .setCluster(bad.client.routing().clusterId())
                .setId(1)
                .setRead(DataProto.ReadRequest.newBuilder()
                        .setTable("trouble")
                        .setTableId(table.meta().tableId())
                        .setOperator(operator)
                        .setParameters(ByteString.copyFrom(parameters.toArray()))
                        .setRemainingNanos(5_000_000_000L)
                        .setModeValue(1)
                        .addTargets(DataProto.ReadTarget.newBuilder()
                                .setEpoch(table.map().actors().get(0).epoch())))
                .build());
        assertThat(reply.getPartsList()).isEmpty();
        assertThat(reply.getFailuresList()).singleElement().satisfies(failure -> {
            assertThat(failure.getCode()).as(failure.getMessage()).isEqualTo(ErrorCode.INVALID_ARGUMENT.number());
            assertThat(failure.getMessage()).contains(word);
        });
        assertThat(ClusterState.settled(bad.client)).isEqualTo(before);
    }
}
