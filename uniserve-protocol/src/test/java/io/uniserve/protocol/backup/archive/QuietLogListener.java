package io.uniserve.protocol.backup.archive;

import io.uniserve.error.UniserveException;
import io.uniserve.protocol.log.LogListener;

/** Log listener without effect, for tests that check the content of a log. */
public final class QuietLogListener implements LogListener {
    @Override
    public void onDurable(long index) {}

    @Override
    public void onAppendFailed(long from, UniserveException error) {}

    @Override
    public void onDamaged(UniserveException error) {}

    @Override
    public void onFatal(UniserveException error) {}
}
