package io.uniserve.testsupport;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * How long tests wait for a condition that they give no time of its own. Awaitility's ten seconds are a bound on the machine: a shared
 * one stands still for as long now and then. JUnit finds it by itself.
 */
public final class AwaitilityDefaults implements LauncherSessionListener {
    /** Of what has not come about by then it is certain that it never will. */
    static final Duration MOST = Duration.ofMinutes(2);

    @Override
    public void launcherSessionOpened(LauncherSession session) {
        Awaitility.setDefaultTimeout(MOST);
    }
}
