package io.uniserve.testkit.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.uniserve.api.operator.Chunk;
import io.uniserve.api.operator.ChunkSink;
import io.uniserve.api.operator.GatherCall;
import io.uniserve.api.operator.GatherOperator;
import io.uniserve.api.operator.Operator;
import io.uniserve.api.operator.OperatorContext;
import io.uniserve.api.operator.ScatterCall;
import io.uniserve.api.operator.ScatterOperator;
import io.uniserve.api.plan.Answer;
import io.uniserve.api.plan.PlanContext;
import io.uniserve.api.plan.QueryText;
import io.uniserve.api.plan.Shuffle;
import io.uniserve.client.UniserveClient;
import io.uniserve.codec.BinaryReader;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.Codecs;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.TableName;
import io.uniserve.port.kv.KvActor;
import io.uniserve.port.kv.KvOperators;
import io.uniserve.protocol.message.client.ReadMode;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A gather reads its own actor at the snapshot of its chunks, though it reads later. */
@Timeout(120)
class GatherMomentTest {
    private static final TableName A = new TableName("a");
    /** A query with a snapshot of table a alone. */
    private static final String APART = "apart";

    private static final int ACCOUNTS = Accounts.COUNT;
    private static final ScatterOperator<KvActor, String> SEND =
            ScatterOperator.of(new ScatterCall<>("test.send@1", Codecs.STRING), KvActor.class, GatherMomentTest::send);
    private static final GatherOperator<KvActor, String, String> MEET = GatherOperator.of(
            new GatherCall<>("test.meet@1", Codecs.STRING, Codecs.STRING), KvActor.class, GatherMomentTest::meet);

    private final LocalCluster cluster = LocalCluster.builder()
            .servers(3)
            .engine(new Meeting())
            .setting("server.stop-grace", "0s")
            .start();
    private final UniserveClient client = cluster.client();

    private static void send(KvActor actor, OperatorContext context, String field, int slots, ChunkSink sink) {
        sink.put(
                0,
                1,
                new BinaryWriter()
                        .writeLong(KvOperators.SUM.retrieve(actor, context, field))
                        .toBytes());
    }

    private static String meet(KvActor actor, OperatorContext context, String field, List<List<Chunk>> chunks) {
        long sent = 0;
        for (Chunk chunk : chunks.get(0)) {
            sent += new BinaryReader(chunk.read()).readLong();
        }
        return sent + " " + KvOperators.SUM.retrieve(actor, context, field);
    }

    private static final class Meeting extends ExtendedKvEngine {
        @Override
        List<Operator<?, ?>> added() {
            return List.of(SEND, MEET);
        }

        /** All of table a, which slot 0 gets, and all of table b, as its actors have it. */
        @Override
        Answer answer(QueryText query, PlanContext context) {
            if (query.text().equals(APART)) {
                context.useSnapshot(Set.of(A));
            }
            Shuffle<String, String> plan = Shuffle.scatter(A, ScatterCall.of(SEND), query.text())
                    .gather(query.table(), GatherCall.of(MEET), query.text());
            Shuffle.Result<List<String>> result = context.shuffle(plan, List::copyOf);
            long[] sums = new long[2];
            for (String value : result.value()) {
                String[] both = value.split(" ");
                sums[0] += Long.parseLong(both[0]);
                sums[1] += Long.parseLong(both[1]);
            }
            return new Answer("text/plain", Bytes.utf8(sums[0] + " " + sums[1]));
        }
    }

    @BeforeEach
    void tables() {
        Accounts.table(client, "a", ConsistencyLevel.SERIALIZABLE);
        Accounts.table(client, "b", ConsistencyLevel.SERIALIZABLE);
    }

    private void add(String table) {
        Accounts.addToAll(client, table);
    }

    /** Updates add one in table a, then one in table b. No query may see b ahead of a, or a part of an update. */
    @ParameterizedTest
    @EnumSource(
            value = ReadMode.class,
            names = {"LINEARIZABLE", "STRICT"})
    void aGatherSeesItsActorAsOfTheChunks(ReadMode mode) {
        Queue<Object> wrong = new ConcurrentLinkedQueue<>();
        AtomicBoolean end = new AtomicBoolean();
        AtomicInteger seen = new AtomicInteger();
        CompletableFuture<Void> reader = CompletableFuture.runAsync(() -> {
            while (!end.get() && wrong.isEmpty()) {
                try {
                    String[] both = client.table("b")
                            .all()
                            .mode(mode)
                            .deadline(Duration.ofSeconds(60))
                            .query("amount")
                            .body()
                            .utf8()
                            .split(" ");
                    long a = Long.parseLong(both[0]);
                    long b = Long.parseLong(both[1]);
                    if (a % ACCOUNTS != 0 || b % ACCOUNTS != 0 || a < b || a > b + ACCOUNTS) {
                        wrong.add("a " + a + " b " + b);
                    }
                    seen.incrementAndGet();
                } catch (RuntimeException e) {
                    wrong.add(e);
                }
            }
        });
        for (int i = 0; i < 40 && wrong.isEmpty(); i++) {
            add("a");
            add("b");
        }
        await().atMost(Duration.ofSeconds(60)).until(() -> seen.get() > 10 || !wrong.isEmpty());
        end.set(true);
        reader.join();
        assertThat(wrong).isEmpty();
    }

    @Test
    void aTableThatIsNotOfTheMomentIsRefused() {
        add("a");
        assertThatThrownBy(() -> client.table("b").all().query(APART))
                .hasMessageContaining("INVALID_ARGUMENT")
                .hasMessageContaining("may read rows of table b: include that table in the snapshot");
    }

    @AfterEach
    void close() {
        cluster.close();
    }
}
