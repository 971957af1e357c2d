package io.uniserve.protocol.exchange;

import static io.uniserve.protocol.exchange.ExchangeWorld.SECOND;
import static io.uniserve.protocol.exchange.ExchangeWorld.chunk;
import static io.uniserve.protocol.exchange.ExchangeWorld.frame;
import static io.uniserve.protocol.exchange.ExchangeWorld.limits;
import static io.uniserve.protocol.exchange.ExchangeWorld.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.api.plan.Distribution;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.exchange.ExchangeStateMachine.Usage;
import io.uniserve.protocol.message.ChunkInfo;
import io.uniserve.protocol.message.ExchangeId;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.message.ScatterRunId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class ExchangeStateMachineTest {
    private static final ExchangeId ID = new ExchangeId(7, 1);
    private static final Usage NOTHING = new Usage(0, 0, 0, 0, 0, 0);

    private final ExchangeWorld world = new ExchangeWorld(3, limits(1_000, 1_000));

    private ScatterManifest scattered(int server, int actor, int bytes) {
        return value(
                world.scattered(server, ID, 0, 2, actor, Map.of(0, chunk(bytes, actor), 1, chunk(bytes, actor + 9))));
    }

    private static void assertCode(Outcome<?> outcome, ErrorCode code, String message) {
        assertThat(outcome).isInstanceOfSatisfying(Outcome.Err.class, err -> {
            assertThat(err.error().code()).isEqualTo(code);
            assertThat(err.error()).hasMessageContaining(message);
        });
    }

    @Test
    void chunksComeWholeFromThreeServersAndThoseHereDoNotTravel() {
        ScatterManifest here = scattered(0, 4, 100);
        ScatterManifest there = scattered(1, 5, 33);
        ScatterManifest beyond = scattered(2, 6, 1);
        ExchangeInput exchangeInput = value(world.delivered(0, frame(ID, List.of(10, 11), here, there, beyond), 11));
        assertThat(exchangeInput.arrivals().stream().map(ExchangeInput.Arrival::source))
                .containsExactlyInAnyOrder(4, 5, 6);
        for (ExchangeInput.Arrival arrival : exchangeInput.arrivals()) {
            int size = arrival.source() == 4 ? 100 : arrival.source() == 5 ? 33 : 1;
            assertThat(world.read(arrival)).isEqualTo(chunk(size, arrival.source() + 9));
            assertThat(arrival.isRemote()).isEqualTo(arrival.source() != 4);
            assertThat(arrival.rows()).isEqualTo(1);
        }
        assertThat(world.pulls.stream().map(pull -> pull.output().actor()).distinct())
                .containsExactlyInAnyOrder(5, 6);
        assertThat(world.pulls).allSatisfy(pull -> assertThat(pull.length()).isLessThanOrEqualTo(10));
        exchangeInput.close();
        for (int server = 0; server < 3; server++) {
            world.machine(server).end(ID);
            assertThat(world.machine(server).usage()).isEqualTo(NOTHING);
        }
    }

    @Test
    void aBroadcastComesOnceForAllGathersOfAServer() {
        ScatterManifest scatterManifest = value(world.scattered(1, ID, 0, 1, 4, Map.of(0, chunk(30, 1))));
        GatherEnvelope frame = new GatherEnvelope(
                ID,
                List.of(0, 1, 2),
                List.of(new GatherEnvelope.Input(0, Distribution.BROADCAST, List.of(scatterManifest))),
                Optional.empty(),
                Bytes.EMPTY);
        ExchangeInput exchangeInput = value(world.delivered(0, frame, 0, 1, 2));
        assertThat(exchangeInput.arrivals())
                .hasSize(3)
                .allSatisfy(one -> assertThat(world.read(one)).isEqualTo(chunk(30, 1)))
                .allSatisfy(one -> assertThat(one.isRemote()).isTrue());
        assertThat(world.pulls).hasSize(4);
        assertThat(exchangeInput.arrivals().stream().filter(ExchangeInput.Arrival::isFirstRemote))
                .hasSize(1);
        assertThat(world.machine(0).usage().memoryBytes()).isEqualTo(35);
    }

    @Test
    void oneMessageAsksForManySmallChunks() {
        ExchangeWorld wide =
                new ExchangeWorld(2, new ExchangeLimits(100_000, 100_000, 100_000, 100_000, 10_000, 1_000, SECOND, 3));
        Map<Integer, Bytes> chunks = new TreeMap<>();
        List<Integer> slots = new ArrayList<>();
        for (int slot = 0; slot < 64; slot++) {
            chunks.put(slot, chunk(20, slot));
            slots.add(slot);
        }
        ScatterManifest scatterManifest = value(wide.scattered(1, ID, 0, 64, 4, chunks));
        ExchangeInput exchangeInput =
                value(wide.delivered(0, frame(ID, slots, scatterManifest), slots.toArray(Integer[]::new)));
        assertThat(exchangeInput.arrivals())
                .hasSize(64)
                .allSatisfy(one -> assertThat(wide.read(one)).isEqualTo(chunk(20, one.actor())));
        assertThat(wide.messages).hasSize(2); // for 40 chunks of 25 bytes each
        assertThat(wide.messages.get(0).parts()).hasSize(40);
    }

    @Test
    void aProducerIsAskedForNoMoreThanTwoMessagesAtATime() {
        ExchangeWorld wide =
                new ExchangeWorld(2, new ExchangeLimits(10_000, 10_000, 10_000, 10_000, 1_000, 10, SECOND, 3));
        ScatterManifest scatterManifest = value(wide.scattered(1, ID, 0, 1, 4, Map.of(0, chunk(300, 4))));
        int[] sent = {0};
        wide.network.lose((to, request) -> request instanceof PeerRequest.PullChunks && ++sent[0] > 1);
        wide.machine(0).fetchInputs(frame(ID, List.of(0), scatterManifest), List.of(0), 60 * SECOND, ended -> {});
        wide.loop.run(SECOND / 2);
        assertThat(sent[0]).as("one that was answered, and two that were not").isEqualTo(3);
    }

    @Test
    void aMessageOfWhichOneChunkIsGoneBringsTheOthers() {
        ExchangeWorld wide =
                new ExchangeWorld(2, new ExchangeLimits(100_000, 100_000, 100_000, 100_000, 2_000, 1_000, SECOND, 3));
        ExchangeId gone = new ExchangeId(8, 1);
        ScatterManifest lost = value(wide.scattered(1, gone, 0, 1, 4, Map.of(0, chunk(20, 4))));
        ScatterManifest before = value(wide.scattered(1, ID, 0, 1, 5, Map.of(0, chunk(20, 5))));
        ScatterManifest kept = value(wide.scattered(1, ID, 0, 1, 6, Map.of(0, chunk(20, 6))));
        wide.machine(1).end(gone);
        AtomicReference<Outcome<ExchangeInput>> first = new AtomicReference<>();
        AtomicReference<Outcome<ExchangeInput>> second = new AtomicReference<>();
        wide.machine(0).fetchInputs(frame(ID, List.of(0), before), List.of(0), SECOND, ended -> {});
        wide.machine(0).fetchInputs(frame(gone, List.of(0), lost), List.of(0), SECOND, first::set);
        wide.machine(0).fetchInputs(frame(ID, List.of(0), kept), List.of(0), SECOND, second::set);
        wide.loop.run(SECOND / 2);
        assertThat(wide.messages.stream().map(message -> message.parts().size()))
                .containsExactly(1, 2);
        assertCode(Objects.requireNonNull(first.get()), ErrorCode.EXCHANGE_LOST, "no longer kept there");
        ExchangeInput.Arrival arrival =
                value(Objects.requireNonNull(second.get())).arrivals().get(0);
        assertThat(wide.read(arrival)).isEqualTo(chunk(20, 6));
    }

    @Test
    void aSilentProducerHoldsUpNobodyElse() {
        List<ScatterManifest> silent = new ArrayList<>();
        for (int actor = 0; actor < 12; actor++) {
            silent.add(value(world.scattered(1, ID, 0, 1, actor, Map.of(0, chunk(25, actor)))));
        }
        ExchangeId id = new ExchangeId(8, 1);
        ScatterManifest small = value(world.scattered(2, id, 0, 1, 0, Map.of(0, chunk(25, 1))));
        ScatterManifest large = value(world.scattered(2, id, 0, 1, 1, Map.of(0, chunk(300, 2))));
        world.network.lose((to, request) -> to.equals(ExchangeWorld.address(1)));
        AtomicReference<Outcome<ExchangeInput>> waiting = new AtomicReference<>();
        world.machine(0)
                .fetchInputs(
                        frame(ID, List.of(0), silent.toArray(ScatterManifest[]::new)),
                        List.of(0),
                        60 * SECOND,
                        waiting::set);
        AtomicReference<Outcome<ExchangeInput>> ended = new AtomicReference<>();
        world.machine(0).fetchInputs(frame(id, List.of(0), small, large), List.of(0), 60 * SECOND, ended::set);
        world.loop.run(SECOND / 2); // the silent one times out after three seconds
        assertThat(waiting.get()).isNull();
        assertThat(value(Objects.requireNonNull(ended.get())).arrivals()).hasSize(2);
    }

    @Test
    void silentProducersOfLargeChunksHoldUpNobodyElse() {
        ExchangeWorld four = new ExchangeWorld(4, limits(10_000, 1_000));
        ScatterManifest first = value(four.scattered(1, ID, 0, 1, 0, Map.of(0, chunk(50, 1))));
        ScatterManifest second = value(four.scattered(2, ID, 0, 1, 1, Map.of(0, chunk(300, 2))));
        ExchangeId id = new ExchangeId(8, 1);
        ScatterManifest small = value(four.scattered(3, id, 0, 1, 0, Map.of(0, chunk(25, 1))));
        ScatterManifest large = value(four.scattered(3, id, 0, 1, 1, Map.of(0, chunk(300, 2))));
        four.network.lose((to, request) -> !to.equals(ExchangeWorld.address(3)));
        four.machine(0).fetchInputs(frame(ID, List.of(0), first, second), List.of(0), 60 * SECOND, failed -> {});
        AtomicReference<Outcome<ExchangeInput>> ended = new AtomicReference<>();
        four.machine(0).fetchInputs(frame(id, List.of(0), small, large), List.of(0), 60 * SECOND, ended::set);
        assertThat(four.machine(0).usage().receivingBytes())
                .as("a piece of each that has not answered")
                .isLessThanOrEqualTo(30);
        four.loop.run(SECOND / 2);
        assertThat(value(Objects.requireNonNull(ended.get())).arrivals()).hasSize(2);
    }

    @Test
    void whatIsAskedForCountsAlsoWhereNobodyWantsItAnyMore() {
        ScatterManifest scatterManifest = scattered(1, 4, 60);
        world.network.lose((to, request) -> {
            world.messages.add(new PeerRequest.PullChunks(List.of()));
            return true;
        });
        for (int query = 0; query < 20; query++) {
            ExchangeInput exchangeInput = world.machine(0)
                    .fetchInputs(frame(ID, List.of(0, 1), scatterManifest), List.of(0), SECOND, ended -> {});
            exchangeInput.close();
            world.loop.run(SECOND / 100);
        }
        assertThat(world.messages).as("on their way to one that is silent").hasSize(1);
        world.loop.run(10 * SECOND);
        world.network.lose((to, request) -> false);
        assertThat(value(world.delivered(0, frame(ID, List.of(0, 1), scatterManifest), 0))
                        .arrivals())
                .hasSize(1);
    }

    @Test
    void chunksThatCameInPiecesAreWrittenPieceByPiece() {
        ExchangeWorld small = new ExchangeWorld(2, limits(50, 10_000));
        ScatterManifest scatterManifest = value(small.scattered(1, ID, 0, 1, 4, Map.of(0, chunk(80, 1))));
        int before = small.disk(0).appends();
        ExchangeInput exchangeInput = value(small.delivered(0, frame(ID, List.of(0), scatterManifest), 0));
        assertThat(small.disk(0).appends() - before)
                .as("85 bytes in pieces of 10")
                .isEqualTo(9);
        assertThat(small.read(exchangeInput.arrivals().get(0))).isEqualTo(chunk(80, 1));
    }

    @Test
    void troubleOfTheConsumersOwnDiskIsNoLoss() {
        ExchangeWorld small = new ExchangeWorld(2, limits(20, 1_000));
        ScatterManifest scatterManifest = value(small.scattered(1, ID, 0, 1, 4, Map.of(0, chunk(40, 1))));
        small.disk(0).full(true);
        assertCode(
                small.delivered(0, frame(ID, List.of(0), scatterManifest), 0),
                ErrorCode.UNAVAILABLE,
                "this server cannot keep");
        small.loop.run(SECOND);
        assertThat(small.machine(0).usage()).isEqualTo(NOTHING);
    }

    @Test
    void filesHaveABoundAServer() {
        ExchangeWorld small = new ExchangeWorld(1, new ExchangeLimits(20, 20, 100, 150, 64, 10, SECOND, 3));
        value(small.scattered(0, ID, 0, 2, 4, Map.of(0, chunk(40, 1), 1, chunk(40, 2))));
        ExchangeId other = new ExchangeId(8, 1);
        value(small.scattered(0, other, 0, 1, 4, Map.of(0, chunk(40, 1))));
        assertCode(
                small.scattered(0, new ExchangeId(9, 1), 0, 1, 4, Map.of(0, chunk(40, 1))),
                ErrorCode.RESOURCE_EXHAUSTED,
                "135 bytes of files on this server, at most 150");
        small.machine(0).end(ID);
        value(small.scattered(0, new ExchangeId(9, 1), 0, 1, 4, Map.of(0, chunk(40, 1))));
    }

    @Test
    void piecesThatAreLostAreAskedForAgainAndCountOnce() {
        ScatterManifest scatterManifest = scattered(1, 4, 45);
        int[] messages = {0};
        world.network.lose((to, request) -> messages[0]++ % 3 == 0);
        ExchangeInput exchangeInput = value(world.delivered(0, frame(ID, List.of(0, 1), scatterManifest), 0));
        assertThat(world.read(exchangeInput.arrivals().get(0))).isEqualTo(chunk(45, 4));
    }

    @Test
    void aSourceThatIsGoneMidwayIsLost() {
        ScatterManifest scatterManifest = scattered(1, 4, 60);
        AtomicReference<Outcome<ExchangeInput>> ended = new AtomicReference<>();
        world.machine(0).fetchInputs(frame(ID, List.of(0, 1), scatterManifest), List.of(0), 60 * SECOND, ended::set);
        world.loop.runUntil(() -> world.pulls.size() == 3, SECOND);
        world.crash(1);
        world.loop.run(20 * SECOND);
        assertCode(Objects.requireNonNull(ended.get()), ErrorCode.EXCHANGE_LOST, "actor 4 of stage 0");
        assertThat(world.machine(0).usage()).isEqualTo(NOTHING);

        world.start(1);
        assertCode(
                world.delivered(0, frame(ID, List.of(0, 1), scatterManifest), 0),
                ErrorCode.EXCHANGE_LOST,
                "no longer kept there");
    }

    @Test
    void bytesThatDifferFromTheirEndMarkerAreRefused() {
        ScatterManifest scatterManifest = scattered(1, 4, 20);
        world.replies =
                piece -> new PeerReply.Piece(piece.chunk(), chunk(piece.bytes().size(), 200));
        assertCode(
                world.delivered(0, frame(ID, List.of(0, 1), scatterManifest), 0),
                ErrorCode.EXCHANGE_LOST,
                "checksum differs");
        world.replies = piece -> new PeerReply.Piece(
                new ChunkInfo(2, piece.chunk().bytes(), piece.chunk().checksum()), piece.bytes());
        assertCode(
                world.delivered(0, frame(ID, List.of(0, 1), scatterManifest), 0),
                ErrorCode.EXCHANGE_LOST,
                "another chunk");
        assertThat(world.machine(0).usage()).isEqualTo(NOTHING);
    }

    @Test
    void aRunWithoutItsEndMarkerIsNotThere() {
        ScatterRunId scatterOutput = world.machine(1).startRun(new ScatterEnvelope(ID, 0, 2, Bytes.EMPTY), 4, SECOND);
        Bytes packed = ChunkCompressor.pack(chunk(10, 1));
        ChunkInfo info = new ChunkInfo(1, packed.size(), ChunkCompressor.checksum(packed));
        world.machine(1).put(scatterOutput, 0, info, packed, done -> value(done));
        ScatterManifest forged =
                new ScatterManifest(ExchangeWorld.address(1), scatterOutput, List.of(info, ChunkInfo.EMPTY), 0);
        assertCode(world.delivered(0, frame(ID, List.of(0, 1), forged), 0), ErrorCode.EXCHANGE_LOST, "no longer kept");
        assertCode(world.delivered(1, frame(ID, List.of(0, 1), forged), 0), ErrorCode.EXCHANGE_LOST, "no longer kept");
        world.machine(1).complete(scatterOutput);
        assertThat(value(world.delivered(0, frame(ID, List.of(0, 1), forged), 0))
                        .arrivals())
                .hasSize(1);
    }

    @Test
    void noSourceCountsTwiceAndNothingOfAnotherAttemptAtAll() {
        ScatterManifest once = scattered(1, 4, 10);
        ScatterManifest again = scattered(2, 4, 10);
        ScatterManifest other = value(world.scattered(1, new ExchangeId(7, 2), 0, 2, 5, Map.of()));
        assertThatThrownBy(() -> frame(ID, List.of(0, 1), once, again))
                .hasMessageContaining("actor 4 of stage 0 counts twice");
        assertThatThrownBy(() -> frame(ID, List.of(0, 1), once, other))
                .hasMessageContaining("not of this stage and attempt");
        assertThatThrownBy(() -> frame(ID, List.of(0, 1, 2), once)).hasMessageContaining("2 slots of 3");
    }

    @Test
    void aPortThatPutsTwiceOrNowhereIsTold() {
        assertCode(world.scattered(1, ID, 0, 2, 4, Map.of(2, chunk(1, 1))), ErrorCode.PORT_PROTOCOL, "slot 2 of 2");
        ScatterRunId scatterOutput = world.machine(1).startRun(new ScatterEnvelope(ID, 0, 2, Bytes.EMPTY), 4, SECOND);
        Bytes packed = ChunkCompressor.pack(chunk(10, 1));
        ChunkInfo info = new ChunkInfo(1, packed.size(), ChunkCompressor.checksum(packed));
        world.machine(1).put(scatterOutput, 0, info, packed, done -> value(done));
        world.machine(1)
                .put(scatterOutput, 0, info, packed, done -> assertCode(done, ErrorCode.PORT_PROTOCOL, "second chunk"));
        world.machine(1).abandon(scatterOutput);
        assertThat(world.machine(1).usage()).isEqualTo(NOTHING);
    }

    @Test
    void whatDoesNotFitIntoMemoryIsInFilesAndComesFromThere() {
        ExchangeWorld small = new ExchangeWorld(2, limits(50, 10_000));
        List<ScatterManifest> receipts = new ArrayList<>();
        for (int actor = 0; actor < 6; actor++) {
            receipts.add(value(small.scattered(1, ID, 0, 1, actor, Map.of(0, chunk(40, actor)))));
        }
        assertThat(small.machine(1).usage().memoryBytes()).isEqualTo(45);
        assertThat(small.machine(1).usage().files()).isEqualTo(5);
        assertThat(receipts.stream().mapToLong(ScatterManifest::spilledBytes).sum())
                .isEqualTo(5 * 45);
        ExchangeInput exchangeInput =
                value(small.delivered(0, frame(ID, List.of(0), receipts.toArray(ScatterManifest[]::new)), 0));
        assertThat(exchangeInput.arrivals())
                .hasSize(6)
                .allSatisfy(one -> assertThat(small.read(one)).isEqualTo(chunk(40, one.source())));
        assertThat(small.machine(0).usage().files()).isEqualTo(5);
        exchangeInput.close();
        small.machine(1).end(ID);
        small.loop.run(SECOND);
        assertThat(small.machine(0).usage()).isEqualTo(NOTHING);
        assertThat(small.machine(1).usage()).isEqualTo(NOTHING);
        assertThat(small.disk(0).files("")).isEmpty();
        assertThat(small.disk(1).files("")).isEmpty();
    }

    @Test
    void aQueryWithoutRoomIsRefusedAndAFullDiskToo() {
        ExchangeWorld small = new ExchangeWorld(2, limits(50, 100));
        assertCode(
                small.scattered(
                        1, ID, 0, 4, 4, Map.of(0, chunk(40, 1), 1, chunk(40, 2), 2, chunk(40, 3), 3, chunk(40, 4))),
                ErrorCode.TOO_LARGE,
                "at most 50 and 100 are permitted");
        small.disk(1).full(true);
        assertCode(small.scattered(1, ID, 0, 2, 4, Map.of(0, chunk(40, 1), 1, chunk(40, 2))), ErrorCode.DISK_FULL, "");
        small.loop.run(SECOND);
        assertThat(small.machine(1).usage()).isEqualTo(NOTHING);
    }

    @Test
    void noMoreIsAskedForThanThereIsRoomFor() {
        List<ScatterManifest> receipts = new ArrayList<>();
        for (int actor = 0; actor < 12; actor++) {
            receipts.add(value(world.scattered(1 + actor % 2, ID, 0, 1, actor, Map.of(0, chunk(25, actor)))));
        }
        AtomicReference<Outcome<ExchangeInput>> ended = new AtomicReference<>();
        world.machine(0)
                .fetchInputs(
                        frame(ID, List.of(0), receipts.toArray(ScatterManifest[]::new)),
                        List.of(0),
                        SECOND,
                        ended::set);
        long most = 0;
        while (ended.get() == null) {
            most = Math.max(most, world.machine(0).usage().receivingBytes());
            world.loop.run(1_000);
        }
        assertThat(value(ended.get()).arrivals()).hasSize(12);
        assertThat(most).isEqualTo(60); // two of 30 bytes, of 64
    }

    @Test
    void aDeliveryThatIsGivenUpOrLateLeavesNothing() {
        ScatterManifest scatterManifest = scattered(1, 4, 100);
        world.network.lose((to, request) -> true);
        AtomicReference<Outcome<ExchangeInput>> late = new AtomicReference<>();
        world.machine(0).fetchInputs(frame(ID, List.of(0, 1), scatterManifest), List.of(0), SECOND / 2, late::set);
        ExchangeInput given = world.machine(0)
                .fetchInputs(frame(ID, List.of(0, 1), scatterManifest), List.of(1), SECOND, outcome -> {
                    throw new AssertionError("told after it was given up");
                });
        assertThat(world.machine(0).usage().arriving()).isEqualTo(2);
        given.close();
        given.close();
        world.loop.run(SECOND);
        assertCode(Objects.requireNonNull(late.get()), ErrorCode.DEADLINE_EXCEEDED, "deadline");
        assertThat(world.machine(0).usage()).isEqualTo(NOTHING);
    }

    @Test
    void anAttemptThatIsOverTakesNothingMoreAndAForgottenOneEndsAtItsDeadline() {
        scattered(1, 4, 10);
        world.machine(1).end(ID);
        assertThat(world.machine(1).usage()).isEqualTo(NOTHING);
        assertCode(world.scattered(1, ID, 0, 2, 5, Map.of()), ErrorCode.CANCELLED, "is over");
        assertCode(world.delivered(1, frame(ID, List.of(0)), 0), ErrorCode.CANCELLED, "is over");

        value(world.scattered(2, ID, 0, 2, 5, Map.of(0, chunk(10, 1))));
        world.loop.run(58 * SECOND);
        assertThat(world.machine(2).usage().runs()).isEqualTo(1);
        world.loop.run(4 * SECOND);
        assertThat(world.machine(2).usage()).isEqualTo(NOTHING);
    }

    @Test
    void tenThousandPlansLeaveNothing() {
        ExchangeWorld small = new ExchangeWorld(2, limits(60, 10_000));
        for (int query = 0; query < 10_000; query++) {
            ExchangeId id = new ExchangeId(query, 1);
            ScatterManifest one = value(small.scattered(0, id, 0, 2, 0, Map.of(0, chunk(20, 1), 1, chunk(20, 2))));
            ScatterManifest two = value(small.scattered(1, id, 0, 2, 1, Map.of(0, chunk(20, 3), 1, chunk(45, 4))));
            ExchangeInput exchangeInput = value(small.delivered(query % 2, frame(id, List.of(0, 1), one, two), 0, 1));
            assertThat(exchangeInput.arrivals()).hasSize(4);
            if (query % 3 != 0) {
                exchangeInput.close();
            } else {
                exchangeInput.fail(new UniserveException(ErrorCode.CANCELLED, "given up"));
            }
            small.machine(0).end(id);
            small.machine(1).end(id);
        }
        small.loop.run(SECOND);
        for (int server = 0; server < 2; server++) {
            assertThat(small.machine(server).usage()).isEqualTo(NOTHING);
            assertThat(small.disk(server).files("")).isEmpty();
        }
    }

    @Test
    void aFileThatCannotBeDeletedIsLater() {
        ExchangeWorld small = new ExchangeWorld(1, limits(20, 1_000));
        value(small.scattered(0, ID, 0, 1, 4, Map.of(0, chunk(40, 1))));
        small.disk(0).failDeletes(true);
        small.machine(0).end(ID);
        small.loop.run(5 * SECOND);
        assertThat(small.machine(0).usage().files()).isEqualTo(1);
        small.disk(0).failDeletes(false);
        small.loop.run(2 * SECOND);
        assertThat(small.machine(0).usage()).isEqualTo(NOTHING);
        assertThat(small.disk(0).files("")).isEmpty();
    }

    @Test
    void anEarlierProcessFilesAreDeleted() {
        world.disk(1).put("exchange/7-1", new byte[10]);
        world.start(1);
        world.loop.run(SECOND);
        assertThat(world.disk(1).files("")).isEmpty();
    }

    @Test
    void fetchedChunksCountForTheUserOfTheGather() {
        ExchangeWorld small = new ExchangeWorld(2, new ExchangeLimits(0, 0, 1_000, 40, 64, 10, SECOND, 3));
        ScatterManifest there = value(small.scattered(1, ID, 0, 1, 4, Map.of(0, chunk(30, 4))));
        AtomicReference<Outcome<ExchangeInput>> ended = new AtomicReference<>();
        small.machine(0).fetchInputs(frame(ID, List.of(0), there), "ann", List.of(0), 60 * SECOND, ended::set);
        small.loop.runUntil(() -> ended.get() != null, 60 * SECOND);
        assertCode(
                Objects.requireNonNull(ended.get()),
                ErrorCode.TOO_LARGE,
                "the query's chunks on this server take 0 bytes of memory and 0 of files, at most 0 and 32 are permitted");
        assertThat(small.machine(0).usage()).isEqualTo(NOTHING);
        ExchangeInput whole = value(small.delivered(0, frame(ID, List.of(0), there), 0));
        assertThat(small.machine(0).usage().files()).as("without a user").isEqualTo(1);
        whole.close();
        small.loop.run(SECOND);
        assertThat(small.machine(0).usage()).isEqualTo(NOTHING);
    }
}
