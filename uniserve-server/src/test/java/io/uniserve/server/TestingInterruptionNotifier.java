package io.uniserve.server;

import io.uniserve.runtime.provider.InterruptionNotifier;
import java.util.Optional;

/** Notifier whose notice the test sets, for the server that names it in its settings. */
public final class TestingInterruptionNotifier implements InterruptionNotifier {
    static final String NAME = "testing";
    private static volatile Optional<Notice> notice = Optional.empty();

    static void set(Optional<Notice> value) {
        notice = value;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Optional<Notice> poll() {
        return notice;
    }
}
