package io.uniserve.testkit.cluster;

import static io.uniserve.testkit.cluster.PlansEngine.NOISE;
import static io.uniserve.testkit.cluster.PlansEngine.NUMBERS;
import static io.uniserve.testkit.cluster.PlansEngine.PASS;
import static io.uniserve.testkit.cluster.PlansEngine.PUT;
import static io.uniserve.testkit.cluster.PlansEngine.TELL;
import static io.uniserve.testkit.cluster.PlansEngine.TEXTS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.api.plan.Distribution;
import io.uniserve.api.plan.Shuffle;
import io.uniserve.client.ActorSelection;
import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.codec.Bytes;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ActorState;
import io.uniserve.model.PartitionKey;
import io.uniserve.model.Partitioner;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.port.kv.KvEngine;
import io.uniserve.protocol.exchange.ChunkCompressor;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Plans with scatters on real daemons. A model computes the expected rows of each slot, with their sources, from the tables' hashes, and
 * the expected bytes on the network from the routing map.
 */
@Timeout(120)
class ShufflesOnServersTest {
    @TempDir
    Path directory;

    private final PlansEngine engine = new PlansEngine();
    private Optional<LocalCluster> cluster = Optional.empty();

    /** Table with number {@code first + i} in the row with key {@code ki}. */
    private record Table(TableName name, int actors, int rows, long first) {
        private static Table of(String name, int actors, int rows, long first) {
            return new Table(new TableName(name), actors, rows, first);
        }

        private static PartitionKey key(int row) {
            return PartitionKey.of("k" + row);
        }

        private int actorOf(int row) {
            return new Partitioner.Hash(actors).actorOf(key(row));
        }

        private List<Integer> all() {
            return IntStream.range(0, actors).boxed().toList();
        }

        private List<Long> numbers(int actor) {
            return IntStream.range(0, rows)
                    .filter(row -> actorOf(row) == actor)
                    .mapToObj(row -> first + row)
                    .toList();
        }

        /** The numbers that these actors put for a slot, by actor. */
        private SortedMap<Integer, List<Long>> cut(Collection<Integer> sources, int slots, int slot) {
            SortedMap<Integer, List<Long>> cut = new TreeMap<>();
            for (int source : sources) {
                List<Long> numbers = numbers(source).stream()
                        .filter(number -> number % slots == slot)
                        .toList();
                if (!numbers.isEmpty()) {
                    cut.put(source, numbers);
                }
            }
            return cut;
        }

        private long rows(Collection<Integer> sources) {
            return sources.stream().mapToLong(source -> numbers(source).size()).sum();
        }
    }

    private static final Table A = Table.of("a", 6, 90, 0);
    private static final Table B = Table.of("b", 4, 40, 1_000);

    private void start(int servers, int replicas, Table... tables) {
        LocalCluster started = LocalCluster.builder()
                .servers(servers)
                .engine(engine)
                .directory(directory)
                .setting("server.stop-grace", "0s")
                // Moves and repeated reads would change the places that the model expects.
                .setting("coordinator.rebalance.period", "0s")
                .setting("client.hedge.budget", "0%")
                .start();
        cluster = Optional.of(started);
        for (Table table : tables) {
            String name = table.name().value();
            started.client()
                    .admin()
                    .createTable(TableSpec.named(name)
                            .port(KvEngine.NAME)
                            .hash(table.actors())
                            .replicas(replicas));
            started.client()
                    .table(name)
                    .updateDocuments(
                            "kv.put@1",
                            IntStream.range(0, table.rows())
                                    .mapToObj(row -> Map.<String, Object>of("id", "k" + row, "n", table.first() + row))
                                    .toList())
                    .run()
                    .orThrow();
        }
    }

    @AfterEach
    void close() {
        cluster.ifPresent(LocalCluster::close);
    }

    private UniserveClient client() {
        return cluster.orElseThrow().client();
    }

    private ActorSelection all(Table table) {
        return client().table(table.name().value()).all();
    }

    private Shuffle.Result<List<String>> run(Shuffle<String, String> plan) {
        return engine.run(all(A), plan);
    }

    /** One text per slot of a table. */
    private static List<String> told(Table at, BiFunction<Integer, List<Long>, String> slot) {
        return at.all().stream()
                .map(actor -> slot.apply(actor, at.numbers(actor)))
                .toList();
    }

    private static Shuffle.Stage last(Shuffle.Result<?> result) {
        return result.stages().get(result.stages().size() - 1);
    }

    @Test
    void aGatherReadsTheRowsOfItsActorWithItsChunks() {
        start(3, 2, A, B);
        Shuffle.Result<List<String>> result =
                run(Shuffle.scatter(A.name(), PUT, NUMBERS).gather(B.name(), TELL, NUMBERS));
        assertThat(result.value())
                .isEqualTo(told(B, (slot, own) -> PlansEngine.told(slot, own, List.of(A.cut(A.all(), 4, slot)))));
        assertThat(last(result).rows()).isEqualTo(A.rows());
    }

    @Test
    void someActorsOfEachInputGiveTheirRowsAlone() {
        start(3, 2, A, B);
        List<Integer> ofA = List.of(4, 1);
        List<Integer> ofB = List.of(0, 3);
        Shuffle.Result<List<String>> result = run(Shuffle.scatter(B.name(), PUT, NUMBERS)
                .add(new Shuffle.Scatter<>(A.name(), Optional.of(ofA), PUT, NUMBERS, Distribution.PARTITIONED))
                .add(new Shuffle.Scatter<>(B.name(), Optional.of(ofB), PUT, NUMBERS, Distribution.BROADCAST))
                .gather(B.name(), TELL, NUMBERS));
        assertThat(result.value())
                .isEqualTo(told(
                        B,
                        (slot, own) -> PlansEngine.told(
                                slot, own, List.of(B.cut(B.all(), 4, slot), A.cut(ofA, 4, slot), B.cut(ofB, 1, 0)))));
        assertThat(result.stages().stream().map(Shuffle.Stage::actors)).containsExactly(4, 2, 2, 4);
        assertThat(result.stages().stream().map(Shuffle.Stage::rows))
                .containsExactly((long) B.rows(), A.rows(ofA), B.rows(ofB), B.rows() + A.rows(ofA) + 4 * B.rows(ofB));
    }

    @Test
    void aQueryOfKeysScattersTheirActorsAlone() {
        start(3, 2, A, B);
        List<Integer> rows = List.of(3, 17, 40);
        TreeSet<Integer> actors = new TreeSet<>(rows.stream().map(A::actorOf).toList());
        assertThat(actors).hasSizeBetween(2, 3);
        ActorSelection keys =
                client().table("a").keys(rows.stream().map(Table::key).toList());
        Shuffle.Result<List<String>> result =
                engine.run(keys, Shuffle.scatter(A.name(), PUT, NUMBERS).gather(B.name(), TELL, NUMBERS));
        assertThat(result.value())
                .isEqualTo(told(B, (slot, own) -> PlansEngine.told(slot, own, List.of(A.cut(actors, 4, slot)))));
        assertThat(result.stages().get(0).actors()).isEqualTo(actors.size());

        int other = A.all().stream()
                .filter(actor -> !actors.contains(actor))
                .findFirst()
                .orElseThrow();
        assertThatThrownBy(() -> engine.run(
                        keys,
                        Shuffle.scatter(B.name(), PUT, NUMBERS)
                                .add(new Shuffle.Scatter<>(
                                        A.name(), Optional.of(List.of(other)), PUT, NUMBERS, Distribution.PARTITIONED))
                                .gather(B.name(), TELL, NUMBERS)))
                .isInstanceOf(UniserveException.class)
                .hasMessageContaining("a scatter names actor " + other + " of table a");
    }

    /** The numbers of A that meet in a slot. */
    private static List<Long> met(Table at, int slot) {
        return A.cut(A.all(), at.actors(), slot).values().stream()
                .flatMap(List::stream)
                .sorted()
                .toList();
    }

    @Test
    void whatIsKeptGoesToTheSameActorsSlotAndIsNotSent() {
        // With so many actors of two replicas, some are read on another server in a later stage, unless that stage
        // follows the kept chunks.
        Table many = Table.of("many", 64, 400, 2_000);
        start(3, 2, A, many);
        Shuffle.Result<List<String>> kept =
                run(Shuffle.scatterColocated(many.name(), PUT, NUMBERS).gather(many.name(), TELL, NUMBERS));
        assertThat(kept.value()).isEqualTo(told(many, (slot, own) -> keptFor(slot, own, own)));
        assertThat(last(kept).rows()).isEqualTo(many.rows());
        assertThat(last(kept).sentBytes()).isZero();

        Shuffle.Result<List<String>> mapped = run(Shuffle.scatter(A.name(), PUT, NUMBERS)
                .map(many.name(), PASS, NUMBERS, Distribution.COLOCATED)
                .gather(many.name(), TELL, NUMBERS));
        assertThat(mapped.value()).isEqualTo(told(many, (slot, own) -> keptFor(slot, own, met(many, slot))));
        assertThat(last(mapped).rows()).isEqualTo(A.rows());
        assertThat(mapped.stages().get(1).sentBytes()).isPositive();
        assertThat(last(mapped).sentBytes()).isZero();
    }

    private static String keptFor(int slot, List<Long> own, List<Long> kept) {
        return PlansEngine.told(slot, own, List.of(kept.isEmpty() ? Map.of() : Map.of(slot, kept)));
    }

    @Test
    void twoKeptStagesMeetAtTheirActor() {
        start(3, 2, A, B);
        Shuffle.Result<List<String>> result = run(Shuffle.scatter(A.name(), PUT, NUMBERS)
                .map(B.name(), PASS, NUMBERS, Distribution.COLOCATED)
                .scatterColocated(B.name(), PUT, NUMBERS)
                .gather(B.name(), TELL, NUMBERS));
        assertThat(result.value())
                .isEqualTo(told(
                        B,
                        (slot, own) ->
                                PlansEngine.told(slot, own, List.of(Map.of(slot, met(B, slot)), Map.of(slot, own)))));
        assertThatThrownBy(() ->
                        run(Shuffle.scatterColocated(B.name(), PUT, NUMBERS).gather(A.name(), TELL, NUMBERS)))
                .isInstanceOf(UniserveException.class)
                .hasMessageContaining(
                        "is only for these actors, but a gather at actors [0, 1, 2, 3, 4, 5] of table a needs it");
    }

    @Test
    void aBroadcastIsSentOnceAServerHoweverManySlotsItHas() {
        Table wide = Table.of("wide", 32, 40, 2_000);
        start(2, 1, A, B, wide);
        for (Table at : List.of(B, wide)) {
            Shuffle.Result<List<String>> result = run(new Shuffle<>(broadcast(), at.name(), TELL, NUMBERS));
            assertThat(result.value())
                    .isEqualTo(told(at, (slot, own) -> PlansEngine.told(slot, own, List.of(A.cut(A.all(), 1, 0)))));
            long once = result.stages().get(0).bytes();
            assertThat(once).isGreaterThan(8L * A.rows());
            assertThat(last(result).servers()).hasSize(2);
            assertThat(last(result).bytes()).isEqualTo(at.actors() * once);
            // Each of the two servers gets the chunks of the other one.
            assertThat(last(result).sentBytes()).as("at %s", at).isEqualTo(once);
        }
    }

    private static List<Shuffle.Scatter<?>> broadcast() {
        return List.of(new Shuffle.Scatter<>(A.name(), Optional.empty(), PUT, NUMBERS, Distribution.BROADCAST));
    }

    @Test
    void onOneServerNothingIsSent() {
        start(1, 1, A, B);
        Shuffle.Result<List<String>> result = run(Shuffle.scatter(A.name(), PUT, NUMBERS)
                .map(B.name(), PASS, NUMBERS)
                .scatterBroadcast(B.name(), PUT, NUMBERS)
                .scatterColocated(A.name(), PUT, NUMBERS)
                .gather(A.name(), TELL, NUMBERS));
        assertThat(result.stages())
                .hasSize(5)
                .allSatisfy(stage -> assertThat(stage.sentBytes()).isZero())
                .allSatisfy(stage -> assertThat(stage.bytes()).isPositive());
        assertThat(last(result).rows()).isEqualTo(A.rows() + 6L * B.rows() + A.rows());
    }

    /** The server of each actor of a table with rf 1. */
    private List<ServerId> servers(Table table) {
        TableRoute route = client().routing().tables().stream()
                .filter(one -> one.meta().name().equals(table.name()))
                .findFirst()
                .orElseThrow();
        return route.map().actors().stream().map(ActorState::primary).toList();
    }

    /** The size on the network of those chunks of A, by actor and slot of B, that another server gathers. */
    private long sent(BiFunction<Integer, Integer, Optional<Bytes>> chunks) {
        List<ServerId> from = servers(A);
        List<ServerId> to = servers(B);
        assertThat(from).hasSize(A.actors());
        assertThat(Stream.concat(from.stream(), to.stream()).distinct()).hasSize(2);
        long sent = 0;
        for (int source : A.all()) {
            for (int slot : B.all()) {
                if (!from.get(source).equals(to.get(slot))) {
                    sent += chunks.apply(source, slot)
                            .map(chunk -> ChunkCompressor.pack(chunk).size())
                            .orElse(0);
                }
            }
        }
        return sent;
    }

    @Test
    void onTwoServersWhatTheOtherOneHasIsSentAndNothingElse() {
        start(2, 1, A, B);
        Shuffle.Result<List<String>> result =
                run(Shuffle.scatter(A.name(), PUT, NUMBERS).gather(B.name(), TELL, NUMBERS));
        long sent = sent((source, slot) -> Optional.ofNullable(
                        A.cut(List.of(source), B.actors(), slot).get(source))
                .map(PlansEngine::put));
        assertThat(sent).isPositive();
        assertThat(last(result).sentBytes())
                .isEqualTo(sent)
                .isLessThan(last(result).bytes());
        assertThat(result.stages().get(0).bytes()).isEqualTo(last(result).bytes());
    }

    @Test
    void whatCompressesIsSentAsFewerBytes() {
        start(2, 1, A, B);
        for (String what : List.of(TEXTS, NOISE)) {
            Shuffle.Result<List<String>> result =
                    run(Shuffle.scatter(A.name(), PUT, what).gather(B.name(), TELL, what));
            List<String> expected = new ArrayList<>();
            long plain = 0;
            for (int slot : B.all()) {
                SortedMap<Integer, String> chunks = new TreeMap<>();
                for (int source : A.all()) {
                    Bytes chunk = PlansEngine.put(what, source, slot);
                    chunks.put(source, PlansEngine.told(chunk));
                    plain += chunk.size();
                }
                expected.add(PlansEngine.told(slot, B.numbers(slot), List.of(chunks)));
            }
            assertThat(result.value()).isEqualTo(expected);
            Shuffle.Stage gather = last(result);
            assertThat(gather.sentBytes())
                    .isEqualTo(sent((source, slot) -> Optional.of(PlansEngine.put(what, source, slot))));
            if (what.equals(TEXTS)) {
                assertThat(gather.bytes()).isLessThan(plain / 4);
            } else {
                assertThat(gather.bytes()).isEqualTo(plain + 5L * A.actors() * B.actors());
            }
        }
    }
}
