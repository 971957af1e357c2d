package io.uniserve.server.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.uniserve.api.operator.Chunk;
import io.uniserve.api.operator.GatherCall;
import io.uniserve.api.operator.GatherOperator;
import io.uniserve.api.operator.MapCall;
import io.uniserve.api.operator.MapOperator;
import io.uniserve.api.operator.ScatterCall;
import io.uniserve.api.operator.ScatterOperator;
import io.uniserve.api.plan.Distribution;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.Codecs;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.Address;
import io.uniserve.port.kv.KvActor;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.exchange.ExchangeLimits;
import io.uniserve.protocol.exchange.ExchangeStateMachine.Usage;
import io.uniserve.protocol.exchange.GatherEnvelope;
import io.uniserve.protocol.exchange.GatherResult;
import io.uniserve.protocol.exchange.ScatterEnvelope;
import io.uniserve.protocol.exchange.ScatterManifest;
import io.uniserve.protocol.message.ExchangeId;
import io.uniserve.protocol.message.client.ReadReply;
import io.uniserve.protocol.message.client.ReadRequest;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Scatters and gathers as reads of a server. */
class GatherReadsTest {
    private static final ExchangeId ID = new ExchangeId(9, 1);
    private static final Usage NOTHING = new Usage(0, 0, 0, 0, 0, 0);

    private final ReadWorld world = new ReadWorld();

    /** Scatter that puts the actor's number of rows, as text, for each slot; its parameters may request an error. */
    private static final ScatterOperator<KvActor, String> SCATTER = ScatterOperator.of(
            new ScatterCall<>("t.scatter@1", Codecs.STRING), KvActor.class, (actor, context, how, slots, sink) -> {
                for (int slot = 0; slot < slots; slot++) {
                    sink.put(slot, 1, Bytes.utf8(actor.usage().rows() + " of " + context.actor()));
                }
                switch (how) {
                    case "throw" -> throw new IllegalStateException("planted");
                    case "twice" -> sink.put(0, 1, Bytes.utf8("again"));
                    case "beyond" -> sink.put(100_000_000, 1, Bytes.utf8("nowhere"));
                    case "negative" -> sink.put(0, -1, Bytes.EMPTY);
                    case "large" -> sink.put(0, 1, Bytes.wrap(new byte[Limits.CHUNK_BYTES_MAX + 1]));
                    default -> context.checkActive();
                }
            });

    private static final GatherOperator<KvActor, String, String> GATHER = GatherOperator.of(
            new GatherCall<>("t.gather@1", Codecs.STRING, Codecs.STRING),
            KvActor.class,
            (actor, context, how, chunks) -> {
                if (how.equals("throw")) {
                    throw new IllegalStateException("planted");
                }
                StringBuilder all = new StringBuilder(context.actor() + ":");
                for (Chunk chunk : chunks.get(0)) {
                    all.append(' ').append(chunk.read().utf8());
                }
                return all.toString();
            });

    private static final MapOperator<KvActor, String> MAP = MapOperator.of(
            new MapCall<>("t.map@1", Codecs.STRING), KvActor.class, (actor, context, how, chunks, slots, sink) -> {
                List<String> all =
                        chunks.get(0).stream().map(chunk -> chunk.read().utf8()).toList();
                for (int slot = 0; slot < slots; slot++) {
                    sink.put(slot, all.size(), Bytes.utf8(all.toString()));
                }
            });

    @BeforeEach
    void start() {
        world.actor(0, 3);
        world.actor(1, 5);
        world.extra.put(SCATTER.id(), SCATTER);
        world.extra.put(GATHER.id(), GATHER);
        world.extra.put(MAP.id(), MAP);
    }

    @AfterEach
    void stop() {
        world.close();
    }

    private static ReadRequest request(String operator, Bytes parameters, int... actors) {
        ReadRequest.Target[] targets = java.util.stream.IntStream.of(actors)
                .mapToObj(actor -> new ReadRequest.Target(actor, 1, 0))
                .toArray(ReadRequest.Target[]::new);
        return ReadWorld.request(operator, parameters, 20_000_000_000L, targets);
    }

    private static Bytes scatter(String how) {
        return ScatterEnvelope.CODEC.encode(new ScatterEnvelope(ID, 0, 2, Codecs.STRING.encode(how)));
    }

    private static Bytes gather(String how, List<ScatterManifest> receipts) {
        return GatherEnvelope.CODEC.encode(new GatherEnvelope(
                ID,
                List.of(0, 1),
                List.of(new GatherEnvelope.Input(0, Distribution.PARTITIONED, receipts)),
                Optional.empty(),
                Codecs.STRING.encode(how)));
    }

    private static Bytes map(List<ScatterManifest> receipts, int stage, int slots) {
        return GatherEnvelope.CODEC.encode(new GatherEnvelope(
                ID,
                List.of(0, 1),
                List.of(new GatherEnvelope.Input(0, Distribution.PARTITIONED, receipts)),
                Optional.of(new GatherEnvelope.Output(stage, slots)),
                Codecs.STRING.encode("")));
    }

    private List<ScatterManifest> receipts() {
        return world.read(request(SCATTER.id(), scatter(""), 0, 1)).parts().stream()
                .map(part -> ScatterManifest.CODEC.decode(part.value()))
                .toList();
    }

    private void assertFails(ReadReply reply, ErrorCode code, String message) {
        assertThat(reply.parts()).isEmpty();
        assertThat(reply.failures()).isNotEmpty().allSatisfy(failure -> {
            assertThat(failure.code()).as(failure.message()).isEqualTo(code);
            assertThat(failure.message()).contains(message);
        });
    }

    @Test
    void whatIsScatteredIsGatheredWithWhatItTook() {
        ReadReply reply = world.read(request(GATHER.id(), gather("", receipts()), 0, 1));
        List<GatherResult<String>> values = reply.parts().stream()
                .map(part -> GatherResult.codec(Codecs.STRING).decode(part.value()))
                .toList();
        assertThat(values.stream().map(GatherResult::value))
                .containsExactlyInAnyOrder("0: 3 of 0 5 of 1", "1: 3 of 0 5 of 1");
        assertThat(values).allSatisfy(value -> {
            assertThat(value.rows()).isEqualTo(2);
            assertThat(value.sentBytes()).isZero();
        });
        world.exchange.handlePeerRequest(new io.uniserve.protocol.message.PeerRequest.EndExchange(ID), done -> {});
        assertThat(world.exchange.usage()).isEqualTo(NOTHING);
    }

    @Test
    void whatAMapPutsIsGatheredAgain() {
        ReadReply mapped = world.read(request(MAP.id(), map(receipts(), 1, 2), 0, 1));
        List<GatherResult<ScatterManifest>> made = mapped.parts().stream()
                .map(part -> GatherResult.codec(ScatterManifest.CODEC).decode(part.value()))
                .toList();
        assertThat(made).hasSize(2).allSatisfy(one -> assertThat(one.rows()).isEqualTo(2));
        Bytes gather = GatherEnvelope.CODEC.encode(new GatherEnvelope(
                ID,
                List.of(0, 1),
                List.of(new GatherEnvelope.Input(
                        1,
                        Distribution.PARTITIONED,
                        made.stream().map(GatherResult::value).toList())),
                Optional.empty(),
                Codecs.STRING.encode("")));
        ReadReply reply = world.read(request(GATHER.id(), gather, 0, 1));
        assertThat(reply.parts().stream()
                        .map(part -> GatherResult.codec(Codecs.STRING)
                                .decode(part.value())
                                .value()))
                .containsExactlyInAnyOrder(
                        "0: [3 of 0, 5 of 1] [3 of 0, 5 of 1]", "1: [3 of 0, 5 of 1] [3 of 0, 5 of 1]");
        world.exchange.handlePeerRequest(new io.uniserve.protocol.message.PeerRequest.EndExchange(ID), done -> {});
        assertThat(world.exchange.usage()).isEqualTo(NOTHING);
    }

    @Test
    void aMapThatCannotBeIsTold() {
        assertFails(
                world.read(request(MAP.id(), gather("", receipts()), 0)),
                ErrorCode.INVALID_ARGUMENT,
                "does not specify the output of its chunks");
        assertFails(
                world.read(request(MAP.id(), Codecs.STRING.encode("x"), 0)),
                ErrorCode.INVALID_ARGUMENT,
                "is a map, and the read names no chunks");
        assertFails(
                world.read(request(MAP.id(), map(receipts(), 1, 100_000_000), 0)),
                ErrorCode.INVALID_ARGUMENT,
                "a scatter into 100000000 slots");
        assertFails(world.read(request(MAP.id(), map(receipts(), 99, 1), 0)), ErrorCode.INVALID_ARGUMENT, "stage 99");
    }

    @Test
    void aScatterThatFailsLeavesNothing() {
        assertFails(world.read(request(SCATTER.id(), scatter("throw"), 0, 1)), ErrorCode.PORT_FAILED, "planted");
        assertFails(world.read(request(SCATTER.id(), scatter("twice"), 0)), ErrorCode.PORT_PROTOCOL, "second chunk");
        assertFails(world.read(request(SCATTER.id(), scatter("beyond"), 0)), ErrorCode.PORT_PROTOCOL, "100000000 of 2");
        assertFails(world.read(request(SCATTER.id(), scatter("negative"), 0)), ErrorCode.PORT_PROTOCOL, "-1 rows");
        assertFails(world.read(request(SCATTER.id(), scatter("large"), 0)), ErrorCode.TOO_LARGE, "more slots");
        assertThat(world.exchange.usage()).isEqualTo(NOTHING);
    }

    @Test
    void whatIsWrongWithAReadIsTold() {
        assertFails(
                world.read(request(SCATTER.id(), Codecs.STRING.encode("x"), 0)),
                ErrorCode.INVALID_ARGUMENT,
                "parameters of t.scatter@1");
        assertFails(
                world.read(request(GATHER.id(), Codecs.STRING.encode("x"), 0)),
                ErrorCode.INVALID_ARGUMENT,
                "names no chunks");
        Bytes whole = gather("", List.of());
        assertFails(
                world.read(request(GATHER.id(), whole.slice(0, whole.size() - 3), 0)),
                ErrorCode.INVALID_ARGUMENT,
                "parameters of a gather");
        assertFails(
                world.read(request(
                        GATHER.id(),
                        GatherEnvelope.CODEC.encode(
                                new GatherEnvelope(ID, List.of(1), List.of(), Optional.empty(), Bytes.EMPTY)),
                        0)),
                ErrorCode.INVALID_ARGUMENT,
                "actor 0 has no slot");
        assertFails(
                world.read(request(GATHER.id(), gather("throw", receipts()), 0, 1)), ErrorCode.PORT_FAILED, "planted");
    }

    @Test
    void whatIsNotThereIsLostAndWhatNobodyAnswersForToo() {
        ScatterManifest here = receipts().get(0);
        ScatterManifest elsewhere =
                new ScatterManifest(new Address("localhost", 2), here.output(), here.chunks(), here.spilledBytes());
        assertFails(
                world.read(request(GATHER.id(), gather("", List.of(elsewhere)), 0, 1)),
                ErrorCode.EXCHANGE_LOST,
                "not received from localhost:2");
        ScatterManifest stranger =
                new ScatterManifest(new Address("10.0.0.5", 22), here.output(), here.chunks(), here.spilledBytes());
        assertFails(
                world.read(request(GATHER.id(), gather("", List.of(stranger)), 0, 1)),
                ErrorCode.INVALID_ARGUMENT,
                "no server of its cluster");
        world.exchange.handlePeerRequest(new io.uniserve.protocol.message.PeerRequest.EndExchange(ID), done -> {});
        Outcome<ReadReply> ended =
                world.start(request(GATHER.id(), gather("", List.of(here)), 0)).join();
        assertThat(ended)
                .isInstanceOfSatisfying(
                        Outcome.Ok.class, ok -> assertFails((ReadReply) ok.value(), ErrorCode.CANCELLED, "is over"));
        assertThat(world.exchange.usage()).isEqualTo(NOTHING);
    }

    @Test
    void aReadThatIsGivenUpWhileItsChunksAreUnderWayEnds() {
        ScatterManifest here = receipts().get(0);
        ScatterManifest elsewhere =
                new ScatterManifest(new Address("silent", 2), here.output(), here.chunks(), here.spilledBytes());
        CompletableFuture<Outcome<ReadReply>> ended = new CompletableFuture<>();
        Timers.Cancel read =
                world.service.read(request(GATHER.id(), gather("", List.of(elsewhere)), 0, 1), ended::complete);
        assertThat(world.exchange.usage().arriving()).isEqualTo(2);
        read.cancel();
        assertThat(ended.join())
                .isInstanceOfSatisfying(
                        Outcome.Err.class,
                        err -> assertThat(((UniserveException) err.error()).code())
                                .isEqualTo(ErrorCode.CANCELLED));
        assertThat(world.exchange.usage().arriving()).isZero();
        await().until(() -> world.service.activeRequests() == 0);
    }

    @Test
    void chunksCountForTheUserOfTheRead() {
        try (ReadWorld small = new ReadWorld(ExchangeLimits.DEFAULTS.with(0, 0, 1_000, 47))) {
            small.actor(0, 3);
            small.extra.put(SCATTER.id(), SCATTER);
            assertThat(scattered(small, "bob").failures()).isEmpty();
            Usage ofBob = small.exchange.usage();
            assertThat(scattered(small, "ann").failures()).singleElement().satisfies(failure -> {
                assertThat(failure.code()).isEqualTo(ErrorCode.RESOURCE_EXHAUSTED);
                assertThat(failure.message()).contains("chunks of user ann", "at most 20 are permitted");
            });
            await().until(() -> small.exchange.usage().equals(ofBob));
            small.open = true;
            assertThat(scattered(small, "ann").failures())
                    .as("mode open: the name is none of a user")
                    .isEmpty();
        }
    }

    @Test
    void aQueryLargerThanTheShareOfItsUserIsTooLarge() {
        try (ReadWorld small = new ReadWorld(ExchangeLimits.DEFAULTS.with(0, 0, 1_000, 25))) {
            small.actor(0, 3);
            small.extra.put(SCATTER.id(), SCATTER);
            assertThat(scattered(small, "ann").failures()).singleElement().satisfies(failure -> {
                assertThat(failure.code()).isEqualTo(ErrorCode.TOO_LARGE);
                assertThat(failure.message()).contains("at most 0 and 20 are permitted");
            });
            await().until(() -> small.exchange.usage().equals(NOTHING));
            small.open = true;
            assertThat(scattered(small, "ann").failures())
                    .as("mode open: the name is none of a user")
                    .isEmpty();
        }
    }

    private static ReadReply scattered(ReadWorld world, String client) {
        CompletableFuture<Outcome<ReadReply>> future = new CompletableFuture<>();
        Timers.Cancel unused =
                world.service.onBehalfOf(client).read(request(SCATTER.id(), scatter("all"), 0), future::complete);
        return ((Outcome.Ok<ReadReply>) future.join()).value();
    }
}
