package io.uniserve.testkit.simulation.plant;

import io.uniserve.api.ActorUsage;
import io.uniserve.codec.Bytes;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.TableMeta;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.EngineHost;
import io.uniserve.testkit.simulation.kernel.Prng;
import java.util.ArrayList;
import java.util.List;

/** {@link Plant#UPDATES_UNEVEN}: a server's engine that leaves an update out now and then, and says that it has applied it. */
public record UnevenEngine(EngineHost engine, Prng random) implements EngineHost {
    private static final int ONE_IN = 200;

    @Override
    public void apply(ReplicaKey key, List<Update> updates, boolean publish, Completion<Done> completion) {
        List<Update> some = new ArrayList<>(updates);
        some.removeIf(update -> random.below(ONE_IN) == 0);
        engine.apply(key, some, publish, completion);
    }

    @Override
    public void create(ReplicaKey key, TableMeta meta, Completion<Done> completion) {
        engine.create(key, meta, completion);
    }

    @Override
    public void restore(ReplicaKey key, TableMeta meta, String checkpointPath, Completion<Done> completion) {
        engine.restore(key, meta, checkpointPath, completion);
    }

    @Override
    public void validate(ReplicaKey key, String function, Bytes rows, Completion<Done> completion) {
        engine.validate(key, function, rows, completion);
    }

    @Override
    public void publish(ReplicaKey key, Completion<Done> completion) {
        engine.publish(key, completion);
    }

    @Override
    public void checkpoint(ReplicaKey key, String checkpointPath, Completion<Done> completion) {
        engine.checkpoint(key, checkpointPath, completion);
    }

    @Override
    public void verify(String checkpointPath, Completion<Done> completion) {
        engine.verify(checkpointPath, completion);
    }

    @Override
    public void digest(ReplicaKey key, Completion<Bytes> completion) {
        engine.digest(key, completion);
    }

    @Override
    public void usage(ReplicaKey key, Completion<ActorUsage> completion) {
        engine.usage(key, completion);
    }

    @Override
    public void destroy(ReplicaKey key, Completion<Done> completion) {
        engine.destroy(key, completion);
    }
}
