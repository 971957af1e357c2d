package io.uniserve.server;

import io.uniserve.runtime.provider.InterruptionNotifier;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/** Notifier whose notice the test sets, for the server that names it in its settings. */
public final class TestingInterruptionNotifier implements InterruptionNotifier {
    static final String NAME = "testing";
    static final AtomicReference<Optional<Notice>> notice = new AtomicReference<>(Optional.empty());

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Optional<Notice> poll() {
        return notice.get();
    }
}
