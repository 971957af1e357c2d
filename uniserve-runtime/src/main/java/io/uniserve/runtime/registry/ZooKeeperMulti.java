package io.uniserve.runtime.registry;

import io.uniserve.protocol.env.Registry;
import io.uniserve.protocol.env.Registry.MultiResult;
import io.uniserve.protocol.env.Registry.Op;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.OpResult;
import org.jspecify.annotations.Nullable;

/**
 * One multi: sent, sent again once missing parents are made, and read. Parents hold no value; those that deletes leave
 * empty are removed, so that a name without anything below it is no child.
 */
final class ZooKeeperMulti {
    private static final int ATTEMPTS = 4;
    private static final byte[] NO_VALUE = {};

    private final String root;
    private final List<Op> ops;
    private final List<byte[]> values;
    private int attempts;

    /** Encodes values at once: TOO_LARGE, and INVALID_ARGUMENT for a version that ZooKeeper would take for any. */
    ZooKeeperMulti(String root, List<Op> ops) {
        this.root = root;
        this.ops = List.copyOf(ops);
        this.values = this.ops.stream().map(ZooKeeperMulti::value).toList();
        RegistryChecks.operations(this.ops, values);
    }

    private static byte[] value(Op op) {
        if (op instanceof Op.Create create) {
            return ZnodeCodec.encode(op.path(), create.value());
        }
        return op instanceof Op.Set set ? ZnodeCodec.encode(op.path(), set.value()) : NO_VALUE;
    }

    void send(ZooKeeperHandle zooKeeperHandle, PendingCall<MultiResult> call) {
        attempts++;
        List<org.apache.zookeeper.Op> requests = new ArrayList<>();
        for (int i = 0; i < ops.size(); i++) {
            requests.add(request(zooKeeperHandle, ops.get(i), values.get(i)));
        }
        zooKeeperHandle
                .client()
                .multi(
                        requests,
                        (rc, path, context, results) -> answered(zooKeeperHandle, call, Code.get(rc), results),
                        null);
    }

    private org.apache.zookeeper.Op request(ZooKeeperHandle zooKeeperHandle, Op op, byte[] value) {
        String path = root + op.path();
        if (op instanceof Op.Create create) {
            CreateMode mode = create.ephemeral() ? CreateMode.EPHEMERAL : CreateMode.PERSISTENT;
            return org.apache.zookeeper.Op.create(path, value, zooKeeperHandle.acl(), mode);
        }
        if (op instanceof Op.Set set) {
            return org.apache.zookeeper.Op.setData(path, value, set.version());
        }
        return op instanceof Op.Delete delete
                ? org.apache.zookeeper.Op.delete(path, delete.version())
                : org.apache.zookeeper.Op.check(path, ((Op.Check) op).version());
    }

    private void answered(
            ZooKeeperHandle zooKeeperHandle,
            PendingCall<MultiResult> call,
            @Nullable Code code,
            @Nullable List<OpResult> results) {
        if (code == Code.OK && results != null) {
            MultiResult applied = new MultiResult(
                    true, results.stream().map(ZooKeeperMulti::version).toList(), -1);
            removeEmptyParents(zooKeeperHandle, () -> call.succeed(applied));
            return;
        }
        int conflict = conflict(results);
        if (conflict < 0) {
            call.fail(code == null ? Code.SYSTEMERROR : code, true);
        } else if (ops.get(conflict) instanceof Op.Create && code == Code.NONODE && attempts < ATTEMPTS) {
            makeParents(zooKeeperHandle, call);
        } else if (code == Code.BADVERSION || code == Code.NODEEXISTS || code == Code.NONODE || code == Code.NOTEMPTY) {
            call.succeed(new MultiResult(false, List.of(), conflict));
        } else {
            call.fail(code == null ? Code.SYSTEMERROR : code, false);
        }
    }

    private static int version(OpResult result) {
        if (result instanceof OpResult.SetDataResult set) {
            return set.getStat().getVersion();
        }
        return result instanceof OpResult.CreateResult ? 0 : Registry.ABSENT;
    }

    /** The operation that stopped the multi, -1 where no operation did. */
    private static int conflict(@Nullable List<OpResult> results) {
        for (int i = 0; results != null && i < results.size(); i++) {
            if (results.get(i) instanceof OpResult.ErrorResult error
                    && error.getErr() != Code.OK.intValue()
                    && error.getErr() != Code.RUNTIMEINCONSISTENCY.intValue()) {
                return i;
            }
        }
        return -1;
    }

    /** Creates all ancestors of the nodes to be created, then sends the multi again. The multi was not done. */
    private void makeParents(ZooKeeperHandle zooKeeperHandle, PendingCall<MultiResult> call) {
        TreeSet<String> parents = new TreeSet<>();
        TreeSet<String> made = new TreeSet<>();
        for (Op op : ops) {
            if (op instanceof Op.Create) {
                made.add(root + op.path());
                parents.addAll(RegistryChecks.ancestors(root + op.path()));
            }
        }
        parents.removeAll(made);
        AtomicInteger left = new AtomicInteger(parents.size());
        AtomicReference<@Nullable Code> failure = new AtomicReference<>();
        for (String parent : parents) {
            zooKeeperHandle
                    .client()
                    .create(
                            parent,
                            NO_VALUE,
                            zooKeeperHandle.acl(),
                            CreateMode.PERSISTENT,
                            (rc, path, context, name) -> {
                                Code code = Code.get(rc);
                                if (code != Code.OK && code != Code.NODEEXISTS) {
                                    failure.compareAndSet(null, code == null ? Code.SYSTEMERROR : code);
                                }
                                if (left.decrementAndGet() == 0) {
                                    Code failed = failure.get();
                                    if (failed == null || failed == Code.NONODE) {
                                        send(zooKeeperHandle, call);
                                    } else {
                                        call.fail(failed, false);
                                    }
                                }
                            },
                            null);
        }
    }

    private void removeEmptyParents(ZooKeeperHandle zooKeeperHandle, Runnable then) {
        TreeSet<String> parents = new TreeSet<>();
        for (Op op : ops) {
            if (op instanceof Op.Delete) {
                RegistryChecks.ancestors(op.path()).forEach(parents::add);
            }
        }
        new EmptyParentCleaner(zooKeeperHandle, root, parents.descendingSet().iterator(), then).next();
    }
}
