"""Many rigs, many tasks, many processes: a job file made true overnight.

job.py reads and checks the file and makes its units, one task on one rig each; child.py is a process that
does units; run.py shares them out, here or on a cluster (cluster.py), and leaves out what is done already;
results.py tells what came of them.
"""
