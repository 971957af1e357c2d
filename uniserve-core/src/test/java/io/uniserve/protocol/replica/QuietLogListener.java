package io.uniserve.protocol.replica;

import io.uniserve.error.UniserveException;
import io.uniserve.protocol.log.LogListener;

/** Log listener without effect, for tests that check the content of a log. */
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
