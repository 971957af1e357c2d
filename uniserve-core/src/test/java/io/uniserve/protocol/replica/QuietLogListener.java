package io.uniserve.protocol.replica;

import io.uniserve.error.UniserveException;
import io.uniserve.protocol.log.LogListener;

/** Hears of a log and does nothing: for tests that look at what is in it. */
final class QuietLogListener implements LogListener {
    @Override
    public void durable(long index) {}

    @Override
    public void appendFailed(long from, UniserveException error) {}

    @Override
    public void damaged(UniserveException error) {}

    @Override
    public void fatal(UniserveException error) {}
}
