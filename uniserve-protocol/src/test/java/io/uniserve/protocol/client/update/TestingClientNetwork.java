package io.uniserve.protocol.client.update;

import io.uniserve.codec.Bytes;
import io.uniserve.codec.Sha256;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Address;
import io.uniserve.model.TableName;
import io.uniserve.protocol.env.ClientNetwork;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.client.ActorFailure;
import io.uniserve.protocol.message.client.ConsistentSnapshot;
import io.uniserve.protocol.message.client.ReadReply;
import io.uniserve.protocol.message.client.ReadRequest;
import io.uniserve.protocol.message.client.StagedRowsRef;
import io.uniserve.protocol.message.client.UpdateReply;
import io.uniserve.protocol.message.client.UpdateRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Network that keeps requests until the test answers them. */
public final class TestingClientNetwork implements ClientNetwork {
    public final List<Read> reads = new ArrayList<>();
    final List<Write> writes = new ArrayList<>();
    public final List<Confirmation> confirmations = new ArrayList<>();

    @Override
    public Timers.Cancel read(Address to, ReadRequest request, Completion<ReadReply> completion) {
        Read read = new Read(to.port() - 1000, request, completion);
        reads.add(read);
        return () -> read.cancelled = true;
    }

    @Override
    public void requestChunkGeneration(
            Address to, TableName table, long timeoutNanos, Completion<ConsistentSnapshot> completion) {
        confirmations.add(new Confirmation(to.port() - 1000, table, completion));
    }

    @Override
    public void update(Address to, UpdateRequest request, long timeoutNanos, Completion<UpdateReply> completion) {
        writes.add(new Write(to.port() - 1000, request, timeoutNanos, completion));
    }

    public Read lastRead() {
        return reads.get(reads.size() - 1);
    }

    Write lastWrite() {
        return writes.get(writes.size() - 1);
    }

    public static ReadReply.Part part(Integer... actors) {
        String name = List.of(actors).stream().map(String::valueOf).collect(Collectors.joining("+"));
        return new ReadReply.Part(List.of(actors), Bytes.utf8(name));
    }

    public static ActorFailure failure(int actor, ErrorCode code, long epoch) {
        return new ActorFailure(actor, code, "because", epoch);
    }

    /** Request for a chunk generation that waits for its answer. */
    public record Confirmation(int server, TableName table, Completion<ConsistentSnapshot> completion) {
        public void answer(long tableId, long generation) {
            completion.done(Outcome.ok(new ConsistentSnapshot(List.of(
                    new ConsistentSnapshot.Table(table, tableId, generation, List.of(), List.of(), generation)))));
        }

        public void fail(ErrorCode code) {
            completion.done(Outcome.err(new UniserveException(code, "because")));
        }
    }

    /** Read that waits for its answer. */
    public static final class Read {
        public final int server;
        public final ReadRequest request;
        private final Completion<ReadReply> completion;
        public boolean cancelled;

        Read(int server, ReadRequest request, Completion<ReadReply> completion) {
            this.server = server;
            this.request = request;
            this.completion = completion;
        }

        public List<Integer> actors() {
            return request.targets().stream().map(ReadRequest.Target::actor).toList();
        }

        /** Answers with one part per actor. */
        public void answerEach() {
            reply(request.targets().stream().map(target -> part(target.actor())).toList(), List.of());
        }

        /** Answers with these parts. */
        public void answer(ReadReply.Part... parts) {
            reply(List.of(parts), List.of());
        }

        public void reply(List<ReadReply.Part> parts, List<ActorFailure> failures) {
            completion.done(Outcome.ok(new ReadReply(parts, failures, 1)));
        }

        /** Answers with one part per actor, read by a map of this chunk generation. */
        public void answerEach(long generation) {
            completion.done(Outcome.ok(new ReadReply(
                    request.targets().stream()
                            .map(target -> part(target.actor()))
                            .toList(),
                    List.of(),
                    1,
                    generation)));
        }

        public void fail(ErrorCode code) {
            completion.done(Outcome.err(new UniserveException(code, "because")));
        }
    }

    /** Update that waits for its answer. */
    record Write(int server, UpdateRequest request, long timeoutNanos, Completion<UpdateReply> completion) {
        List<Integer> actors() {
            return request.actors().stream().map(UpdateRequest.ActorRows::actor).toList();
        }

        void ackAll(long index) {
            reply(
                    request.actors().stream()
                            .map(rows -> new UpdateReply.ActorAck(rows.actor(), rows.epoch(), index, false))
                            .toList(),
                    List.of());
        }

        /** Answers that the server has staged all rows. */
        void stagedAll() {
            completion.done(Outcome.ok(UpdateReply.of(request.actors().stream()
                    .map(rows -> new UpdateReply.ActorStaged(
                            rows.actor(), new StagedRowsRef(rows.rows().size(), Sha256.hex(rows.rows()))))
                    .toList())));
        }

        void reply(List<UpdateReply.ActorAck> acks, List<ActorFailure> failures) {
            completion.done(Outcome.ok(new UpdateReply(acks, failures)));
        }

        void fail(ErrorCode code) {
            completion.done(Outcome.err(new UniserveException(code, "because")));
        }
    }
}
