/** Daemons as real processes of this machine: started, watched for readiness, killed, stopped and continued by signal. */
@NullMarked
package io.uniserve.cli.process;

import org.jspecify.annotations.NullMarked;
