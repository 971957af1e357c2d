package io.uniserve.server;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.ObjectStore;
import io.uniserve.protocol.env.Outcome;
import java.util.List;
import java.util.concurrent.Executor;

/** Object store of a server without durable storage. It is always empty, and put fails with UNSUPPORTED. */
final class EmptyObjectStore implements ObjectStore {
    private final Executor loop;

    EmptyObjectStore(Executor loop) {
        this.loop = loop;
    }

    @Override
    public void put(String key, Bytes data, Completion<Done> completion) {
        loop.execute(() -> completion.done(Outcome.err(new UniserveException(
                ErrorCode.UNSUPPORTED, "this server has no durable storage; set uniserve.storage.location"))));
    }

    @Override
    public void get(String key, Completion<Bytes> completion) {
        loop.execute(() -> completion.done(Outcome.err(new UniserveException(
                ErrorCode.IO, "object " + key + " does not exist: this server has no durable storage"))));
    }

    @Override
    public void list(String prefix, Completion<List<String>> completion) {
        loop.execute(() -> completion.done(Outcome.ok(List.of())));
    }

    @Override
    public void delete(String key, Completion<Done> completion) {
        loop.execute(() -> completion.done(Outcome.ok(Done.DONE)));
    }
}
