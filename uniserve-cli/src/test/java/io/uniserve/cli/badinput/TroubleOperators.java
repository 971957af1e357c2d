package io.uniserve.cli.badinput;

import io.uniserve.api.operator.Merger;
import io.uniserve.api.operator.Operator;
import io.uniserve.api.operator.OperatorContext;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.api.operator.RetrieveOperator;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.Codec;
import io.uniserve.codec.Codecs;
import io.uniserve.port.kv.KvActor;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/** Misbehaving operators. */
final class TroubleOperators {
    /** Ends all running {@link #HANG}. */
    static final CountDownLatch RELEASE = new CountDownLatch(1);

    /** Number of {@link #HANG} calls that were started; they return only after {@link #RELEASE}. */
    static final AtomicInteger HANGING = new AtomicInteger();

    /** Bytes that {@link #HUGE} and {@link #HUGE_MERGED} could write. */
    static final AtomicLong WRITTEN = new AtomicLong();

    private static final int BLOCK = 64 << 10;

    static final Trouble<Long> THROW = Trouble.of("trouble.throw@1", () -> {
        throw new IllegalStateException("broken on purpose");
    });
    static final Trouble<Long> ERROR = Trouble.of("trouble.error@1", () -> {
        throw new StackOverflowError("deep on purpose");
    });
    static final Trouble<Long> ASSERT = Trouble.of("trouble.assert@1", () -> {
        throw new AssertionError("wrong on purpose");
    });
    /** Ignores its deadline. */
    static final Trouble<Long> HANG = Trouble.of("trouble.hang@1", TroubleOperators::hang);
    /** Returns this number of bytes, which are created only while they are written. */
    static final Trouble<Long> HUGE = new Trouble<>("trouble.huge@1", null, zeros(), Optional.empty());

    static final Trouble<Long> HUGE_MERGED =
            new Trouble<>("trouble.huge-merged@1", null, zeros(), Optional.of((size, left, right) -> left + right));

    static final List<Operator<?, ?>> ALL = List.of(THROW, ERROR, ASSERT, HANG, HUGE, HUGE_MERGED);

    private TroubleOperators() {}

    private static long hang() {
        HANGING.incrementAndGet();
        try {
            RELEASE.await();
            return 0;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Codec<Long> zeros() {
        Bytes block = Bytes.wrap(new byte[BLOCK]);
        return Codecs.of(
                (out, size) -> {
                    for (long left = size; left > 0; left -= BLOCK) {
                        out.writeRaw(block.slice(0, (int) Math.min(left, BLOCK)));
                        WRITTEN.addAndGet(BLOCK);
                    }
                },
                in -> {
                    long size = in.remaining();
                    while (in.remaining() > 0) {
                        in.readByte();
                    }
                    return size;
                });
    }

    record Trouble<V>(String id, Supplier<V> body, Codec<V> values, Optional<Merger<Long, V>> merger)
            implements RetrieveOperator<KvActor, Long, V> {
        static Trouble<Long> of(String id, Supplier<Long> body) {
            return new Trouble<>(id, body, Codecs.LONG, Optional.empty());
        }

        RetrieveCall<Long, V> call() {
            return RetrieveCall.of(this);
        }

        @Override
        public Class<KvActor> actorType() {
            return KvActor.class;
        }

        @Override
        public Codec<Long> parameters() {
            return Codecs.LONG;
        }

        @Override
        @SuppressWarnings("unchecked") // without a body the value is the parameter
        public V retrieve(KvActor actor, OperatorContext context, Long parameters) {
            return body == null ? (V) parameters : body.get();
        }
    }
}
